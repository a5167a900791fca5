package io.spillway.rolling;

import io.spillway.internal.compress.FaultyFiles;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that logs numbered messages, each of which rolls the file over, and prints each that is
 * written. Halts before the so-manyth operation of a name, or goes on until it is killed.
 */
public final class ArchiveKillChild {
  private ArchiveKillChild() {}

  public static void main(String[] arguments) throws InterruptedException {
    Path logs = Path.of(arguments[0]);
    Scene scene = Scene.valueOf(arguments[1]);
    int most = Integer.parseInt(arguments[2]);
    String fatal = arguments[3];
    int count = Integer.parseInt(arguments[4]);
    AtomicInteger seen = new AtomicInteger();
    FaultyFiles files =
        new FaultyFiles()
            .hook(
                (operation, file) -> {
                  if (operation.equals(fatal) && seen.incrementAndGet() == count) {
                    Runtime.getRuntime().halt(137);
                  }
                });
    RollingRig rig = scene.start(logs, files);
    say("started");
    for (int next = 0; next < most; next++) {
      rig.log(Scene.message(next));
      say(next);
    }
    Thread.currentThread().join();
  }

  private static void say(Object line) {
    System.out.println(line);
    System.out.flush();
  }
}
