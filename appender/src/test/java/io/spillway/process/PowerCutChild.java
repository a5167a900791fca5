package io.spillway.process;

import io.spillway.metrics.SpillwayMetrics;
import io.spillway.rolling.SizeAndTimeBasedRollingPolicy;
import io.spillway.rolling.SizeBasedTriggeringPolicy;
import io.spillway.testkit.Configured;
import io.spillway.testkit.Gate;
import java.io.File;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Logs until the disk is gone, and tells its parent of each event that an fsync has made safe: the
 * events from {@code first} on, {@code synced} of them. What was logged before went through memory
 * and is told of nobody.
 */
public final class PowerCutChild {
  static final int SYNC_MILLIS = 20;

  /** So many files in a fixed window, that none is deleted within one life. */
  static final int WINDOW = 200;

  private static final int AT_ONCE = 50;
  private static final int TO_FILL_MEMORY = 5_000;
  private static final int LOOKS = 20;

  /** More than a batch may have. */
  private static final int KEPT_IN_SPILL = 2_000;

  private static final Gate GATE = new Gate();

  private PowerCutChild() {}

  /** What rolls the file over, if anything does. */
  enum Form {
    ONE_FILE("", FixedTrigger.class, "10GB"),
    FIXED_WINDOW_GZ(".gz", FixedTrigger.class, "50KB"),
    FIXED_WINDOW_RAW("", FixedTrigger.class, "50KB"),
    SIZE_AND_TIME_GZ(".gz", SizeAndTime.class, "50KB");

    private final String suffix;
    private final Class<?> policy;
    private final String size;

    Form(String suffix, Class<?> policy, String size) {
      this.suffix = suffix;
      this.policy = policy;
      this.size = size;
    }

    String settings(String mode) {
      String rolling =
          policy == SizeAndTime.class
              ? "<rollingPolicy class='"
                  + policy.getName()
                  + "'><fileNamePattern>DIR/app.%d{yyyy-MM}.%i.log"
                  + suffix
                  + "</fileNamePattern><maxFileSize>"
                  + size
                  + "</maxFileSize></rollingPolicy>"
              : "<rollingPolicy class='io.spillway.rolling.FixedWindowRollingPolicy'>"
                  + "<fileNamePattern>DIR/app.%i.log"
                  + suffix
                  + "</fileNamePattern><maxIndex>"
                  + WINDOW
                  + "</maxIndex></rollingPolicy><triggeringPolicy class='"
                  + policy.getName()
                  + "'><maxFileSize>"
                  + size
                  + "</maxFileSize></triggeringPolicy>";
      return "<file>DIR/app.log</file><memoryBuffer>64KB</memoryBuffer>"
          + "<maxSpillSize>2MB</maxSpillSize><spillMode>"
          + mode
          + "</spillMode><spillSync>"
          + SYNC_MILLIS
          + " milliseconds</spillSync>"
          + rolling
          + "<encoder><pattern>%msg%n</pattern></encoder>";
    }
  }

  /** Stands still before a batch, as a slow disk does. */
  public static final class FixedTrigger<E> extends SizeBasedTriggeringPolicy<E> {
    @Override
    public boolean isTriggeringEvent(File activeFile, E event) {
      GATE.pass();
      return super.isTriggeringEvent(activeFile, event);
    }
  }

  /** The same. */
  public static final class SizeAndTime<E> extends SizeAndTimeBasedRollingPolicy<E> {
    @Override
    public boolean isTriggeringEvent(File activeFile, E event) {
      GATE.pass();
      return super.isTriggeringEvent(activeFile, event);
    }
  }

  public static void main(String[] arguments) {
    Path directory = Path.of(arguments[0]);
    Form form = Form.valueOf(arguments[1]);
    boolean overflow = arguments[2].equals("OVERFLOW");
    String stream = arguments[3];
    Configured configured =
        new Configured(Configured.SPILLWAY, directory, form.settings(arguments[2]));
    configured.file();
    SpillwayMetrics metrics = metrics(configured);
    int next = 0;
    long inMemory = 0;
    Random random = new Random(stream.hashCode());
    if (overflow) {
      GATE.shut();
      log(configured, stream, 0, TO_FILL_MEMORY);
      inMemory = inMemory(configured, metrics, stream);
      next = TO_FILL_MEMORY + LOOKS;
      // The spill is never empty again, or later events would go through memory as well.
      long first = inMemory;
      GATE.onPass(
          () -> {
            while (metrics.getSpilled() + first - metrics.getDelivered() < KEPT_IN_SPILL) {
              LockSupport.parkNanos(200_000);
            }
            LockSupport.parkNanos(random.nextInt(1_000_000));
          });
    } else {
      GATE.onPass(() -> LockSupport.parkNanos(random.nextInt(400_000)));
    }
    GATE.open();
    int from = next;
    Thread producer = new Thread(() -> log(configured, stream, from, Integer.MAX_VALUE));
    producer.setDaemon(true);
    producer.start();
    System.out.println("first " + inMemory);
    while (true) {
      System.out.println("synced " + Math.max(0, metrics.getSynced() - (overflow ? 1 : 0)));
      System.out.println("delivered " + metrics.getDelivered());
      System.out.println("millis " + System.nanoTime() / 1_000_000);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static SpillwayMetrics metrics(Configured configured) {
    return ((io.spillway.SpillwayRollingFileAppender<?>) configured.file()).getMetrics();
  }

  /**
   * How many events memory holds and the spill does not. Each look logs one more, which goes to the
   * spill: what came before it is placed by then, but for one that may be on its way at every look.
   */
  private static long inMemory(Configured configured, SpillwayMetrics metrics, String stream) {
    long least = Long.MAX_VALUE;
    for (int look = 0; look < LOOKS; look++) {
      long spilled = metrics.getSpilled();
      log(configured, stream, TO_FILL_MEMORY + look, TO_FILL_MEMORY + look + 1);
      while (metrics.getSpilled() == spilled) {
        LockSupport.parkNanos(1_000_000);
      }
      least = Math.min(least, metrics.getAccepted() - metrics.getSpilled());
    }
    return least;
  }

  private static void log(Configured configured, String stream, int from, int to) {
    for (int number = from; number < to; number++) {
      configured.logger.info("#{}:{}.{};", stream, number, Integer.toHexString(number * 31));
      if (number % AT_ONCE == 0) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }
}
