package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.PatternLayout;
import io.spillway.testkit.Configured;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stock and Spillway, the same configuration, the same events: the same files, byte for byte. */
@Timeout(60)
class HeadersAndFootersTest {
  private static final String FIXED_WINDOW =
      "<file>DIR/app.log</file>"
          + "<rollingPolicy class='ch.qos.logback.core.rolling.FixedWindowRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%i.log</fileNamePattern>"
          + "<minIndex>1</minIndex><maxIndex>20</maxIndex></rollingPolicy>"
          + "<triggeringPolicy class='ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy'>"
          + "<maxFileSize>500</maxFileSize><checkIncrement>1 millisecond</checkIncrement>"
          + "</triggeringPolicy>";
  private static final String SIZE_AND_TIME =
      "<rollingPolicy class='ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%d{yyyy-MM}.%i.log</fileNamePattern>"
          + "<maxFileSize>500</maxFileSize><checkIncrement>1 millisecond</checkIncrement>"
          + "</rollingPolicy>";

  @TempDir Path directory;

  /** A layout that has all four. */
  public static final class FramedLayout extends PatternLayout {
    @Override
    public String getFileHeader() {
      return "<file header>";
    }

    @Override
    public String getPresentationHeader() {
      return "<presentation header>";
    }

    @Override
    public String getPresentationFooter() {
      return "<presentation footer>";
    }

    @Override
    public String getFileFooter() {
      return "<file footer>";
    }
  }

  static Stream<String> configurations() {
    String framed =
        "<encoder class='ch.qos.logback.core.encoder.LayoutWrappingEncoder'><layout class='"
            + FramedLayout.class.getName()
            + "'><pattern>%msg%n</pattern></layout></encoder>";
    String patternAsHeader =
        "<encoder><outputPatternAsHeader>true</outputPatternAsHeader>"
            + "<pattern>%level %msg%n</pattern></encoder>";
    String utf16 =
        "<encoder><outputPatternAsHeader>true</outputPatternAsHeader><charset>UTF-16</charset>"
            + "<pattern>%msg%n</pattern></encoder>";
    return Stream.of(FIXED_WINDOW, SIZE_AND_TIME)
        .flatMap(policy -> Stream.of(policy + framed, policy + patternAsHeader, policy + utf16));
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void shouldStandWhereStockPutsThem(String settings) {
    Map<String, String> stock = run(Configured.STOCK, directory.resolve("stock"), settings);
    Map<String, String> spillway = run(Configured.SPILLWAY, directory.resolve("own"), settings);

    assertThat(stock).hasSizeGreaterThan(3);
    assertThat(spillway).isEqualTo(stock);
  }

  /** It passes, and an ERROR status ends the start of a Spring Boot application. */
  @Test
  void shouldOnlyWarnThatAHeaderHasNoRoom() throws IOException {
    Files.createSymbolicLink(directory.resolve("app.log"), Path.of("/dev/full"));
    String settings = configurations().toList().get(1); // with the pattern as a header
    try (Configured configured = new Configured(Configured.SPILLWAY, directory, settings)) {
      configured.file();
      assertThat(configured.statuses())
          .noneMatch(status -> status.startsWith("ERROR in "))
          .anyMatch(status -> status.contains("header or footer") && status.contains("To do: "));
    }
  }

  /** Three runs, so that a file is continued after a restart, too. */
  private static Map<String, String> run(String appenderClass, Path directory, String settings) {
    for (int run = 0; run < 3; run++) {
      try (Configured configured = new Configured(appenderClass, directory, settings)) {
        for (int i = 0; i < 20; i++) {
          configured.logAndAwait("message " + i + " of run " + run + ", with some text behind it");
          LockSupport.parkNanos(3_000_000); // more than the checkIncrement
        }
      }
    }
    return Configured.contents(directory);
  }
}
