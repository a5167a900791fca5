package io.spillway.process;

import io.spillway.testkit.Configured;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** Logs, at a pace that compression keeps up with, to a file that is compressed meanwhile. */
public final class ContinuousChild {
  static final String SETTINGS =
      "<file>DIR/app.log</file><compression>CONTINUOUS</compression>"
          + "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%d{yyyy-MM}.%i.log.gz</fileNamePattern>"
          + "<maxFileSize>2MB</maxFileSize></rollingPolicy>"
          + "<encoder><pattern>%msg%n</pattern></encoder>";

  private static final int AT_ONCE = 20;
  private static final int TOLD = 500;

  private ContinuousChild() {}

  public static void main(String[] arguments) {
    Configured configured = new Configured(Configured.SPILLWAY, Path.of(arguments[0]), SETTINGS);
    configured.file();
    SplittableRandom random = new SplittableRandom(1);
    for (int number = 1; true; number++) {
      String padding = Long.toHexString(random.nextLong()).repeat(12);
      configured.logger.info("#{}:{}.{};", arguments[1], number, padding);
      if (number % AT_ONCE == 0) {
        LockSupport.parkNanos(1_000_000);
      }
      if (number % TOLD == 0) {
        System.out.println("logged " + number);
      }
    }
  }
}
