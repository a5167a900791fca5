package io.spillway.internal.compress;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that archives what is in a directory. Halts before the so-manyth operation of a name,
 * or says that it is idle and waits to be killed.
 */
public final class ArchiveKillChild {
  private ArchiveKillChild() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path directory = Path.of(arguments[0]);
    String fatal = arguments[1];
    int count = Integer.parseInt(arguments[2]);
    ArchiverRig rig = new ArchiverRig(directory);
    AtomicInteger seen = new AtomicInteger();
    rig.files.hook(
        (number, operation, file) -> {
          if (operation.equals(fatal) && seen.incrementAndGet() == count) {
            Runtime.getRuntime().halt(137);
          }
        });
    rig.start();
    say("started");
    rig.awaitIdle();
    say("idle");
    Thread.currentThread().join();
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
