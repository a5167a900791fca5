package io.spillway.internal.spill;

import io.spillway.testkit.Fork;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Runs one case of {@link SpillFuzzCase} after the other until the time is over. A case that fails
 * or makes no progress ends the JVM, and its seed is printed.
 */
public final class SpillFuzzChild {

  /** No case reads more than a few hundred megabytes. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static volatile long running;
  private static volatile long startedNanos = System.nanoTime();

  private SpillFuzzChild() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    long seed = Long.parseLong(arguments[1]);
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(arguments[2]));
    List<SpillOriginal> originals = SpillOriginal.all(directory);
    watch(Thread.currentThread());
    long cases = 0;
    long damaged = 0;
    do {
      running = seed + cases;
      startedNanos = System.nanoTime();
      Path place = directory.resolve("case");
      SpillFuzzCase next = new SpillFuzzCase(running, originals, place);
      try {
        next.run();
      } catch (Throwable e) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        System.out.println("failed case " + running + ": " + next + "\n" + trace);
        System.out.println("left in " + place);
        System.out.flush();
        Runtime.getRuntime().halt(Fork.FAILED);
      }
      damaged += next.lostEvents() > 0 ? 1 : 0;
      remove(place);
      cases++;
    } while (endNanos - System.nanoTime() > 0);
    System.out.println("cases " + cases);
    System.out.println("damaged " + damaged);
  }

  private static void watch(Thread thread) {
    Thread watch =
        new Thread(
            () -> {
              while (System.nanoTime() - startedNanos < PATIENCE_NANOS) {
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
              }
              System.out.println("stuck case " + running + ": " + List.of(thread.getStackTrace()));
              System.out.flush();
              Runtime.getRuntime().halt(Fork.STUCK);
            },
            "fuzz-watch");
    watch.setDaemon(true);
    watch.start();
  }

  static void remove(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
