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
  private static final Gate GATE = new Gate();

  private PowerCutChild() {}

  /** What rolls the file over, if anything does. */
  enum Form {
    ONE_FILE("", FixedTrigger.class, "10GB"),
    FIXED_WINDOW_GZ(".gz", FixedTrigger.class, "50KB"),
    FIXED_WINDOW_RAW("", FixedTrigger.class, "50KB"),
    SIZE_AND_TIME_GZ(".gz", SizeAndTime.class, "50KB"),
    CONTINUOUS(".gz", SizeAndTime.class, "100KB");

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
          + " milliseconds</spillSync><compression>"
          + (this == CONTINUOUS ? "CONTINUOUS" : "ON_ROLLOVER")
          + "</compression>"
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
    long first = 0;
    if (overflow) {
      GATE.shut();
      log(configured, stream, 0, TO_FILL_MEMORY);
      first = accepted(metrics) - metrics.getSpilled();
    }
    Random random = new Random(stream.hashCode());
    // Slower than what is logged, so that in mode OVERFLOW the spill is never empty again.
    int longest = overflow ? 4_000_000 : 400_000;
    GATE.onPass(() -> LockSupport.parkNanos(random.nextInt(longest)));
    GATE.open();
    Thread producer = new Thread(() -> log(configured, stream, TO_FILL_MEMORY, Integer.MAX_VALUE));
    if (!overflow) {
      log(configured, stream, 0, TO_FILL_MEMORY);
    }
    producer.setDaemon(true);
    producer.start();
    System.out.println("first " + first);
    while (true) {
      long synced = metrics.getSynced();
      // Read after it, and with a later batch counted: no second episode by then.
      if (!overflow || metrics.getSpilled() > synced && metrics.getSpillEpisodes() <= 1) {
        System.out.println("synced " + synced);
      }
      System.out.println("delivered " + metrics.getDelivered());
      System.out.println("millis " + System.nanoTime() / 1_000_000);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static SpillwayMetrics metrics(Configured configured) {
    return ((io.spillway.SpillwayRollingFileAppender<?>) configured.file()).getMetrics();
  }

  /** Once the drainer has placed them all. */
  private static long accepted(SpillwayMetrics metrics) {
    while (metrics.getRingUsed() > 0 || metrics.getSpilled() == 0) {
      LockSupport.parkNanos(1_000_000);
    }
    long spilled;
    do { // the last batch has left the ring and may be on its way to the spill
      spilled = metrics.getSpilled();
      LockSupport.parkNanos(50_000_000);
    } while (spilled != metrics.getSpilled());
    return metrics.getAccepted();
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
