package io.spillway.survival;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What was huge, or is over, leaves the heap. */
@Tag("slow")
@Timeout(300)
class RetainedTest {
  private static final int HUGE_MIB = Boolean.getBoolean("spillway.test.full") ? 100 : 20;
  private static final int RESTARTS = Boolean.getBoolean("spillway.test.full") ? 20 : 10;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "WRAPPED, OVERFLOW",
    "WRAPPED, ALWAYS",
    "OWN_FILE, OVERFLOW",
    "OWN_FILE, ALWAYS",
    "OWN_FILE, ENCODED",
    "WRAPPED, STOPPED_OVERFLOW",
    "WRAPPED, STOPPED_ALWAYS",
    "OWN_FILE, STOPPED_OVERFLOW",
    "OWN_FILE, STOPPED_ALWAYS",
    "WRAPPED, FULL",
    "OWN_FILE, FULL"
  })
  void shouldKeepNothingOfAHugeEvent(Kind kind, String mode) {
    int bytes = HUGE_MIB << 20;
    List<String> heap = List.of("-Xmx" + 20 * HUGE_MIB + "m");
    try (Fork child = Fork.start(RetainedChild.class, heap, kind, directory, mode, bytes)) {
      child.awaitEnd(0);
      assertThat(child.number("retained")).isLessThan(bytes / 20);
    }
  }

  /** Up to Java 23 a thread holds the class loaders of all that called its constructor. */
  @Test
  void shouldKeepNoApplicationThatStartedTheFirstAppenderAndIsGone() {
    try (Fork child =
        Fork.start(RetainedChild.class, List.of(), Kind.OWN_FILE, directory, "LOADERS", 1)) {
      child.awaitEnd(0);
      assertThat(child.number("loaders")).isZero();
    }
  }

  /** The thread cannot be freed, nor the batch in its hands; ring, buffers and codecs can. */
  @ParameterizedTest
  @EnumSource
  void shouldKeepLittleOfARestartWhileTheSinkIsStuck(Kind kind) {
    // Else a thread that allocates a word between collection and look takes a buffer of 700 KB.
    List<String> exact = List.of("-Xmx256m", "-XX:-UseTLAB");
    try (Fork child =
        Fork.start(RetainedChild.class, exact, kind, directory, "RESTARTS", RESTARTS)) {
      child.awaitEnd(0);
      assertThat(child.number("each")).isLessThan(60_000);
    }
  }
}
