package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A watch that lasts longer than asked says so, as its sums are of all that time. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WatchLengthTest {

  private static final int ASKED_SECONDS = 1;

  @TempDir Path out;

  @Test
  void shouldSayNothingUpToASecond() {
    assertThat(Watch.lateness(59.9, 60)).isEmpty();
    assertThat(Watch.lateness(61, 60)).isEmpty();
    assertThat(Watch.lateness(61.26, 60))
        .hasValue("The watch lasted 61.3 s, for its last thread dump was late.");
  }

  @Test
  void shouldSayHowLongItLasted() throws Exception {
    Late printed = new Late();
    try (ForkedJvm target = ForkedJvm.target(ForkedJvm.OWN_JDK, "platform")) {
      target.await("ready");

      WatchFigures figures =
          new Watch(new Watch.Options(target.pid(), ASKED_SECONDS, out), printed, false).execute();

      List<String> said = Watch.lateness(figures.seconds(), ASKED_SECONDS).stream().toList();
      assertThat(said).isNotEmpty();
      assertThat(figures.notes()).containsAll(said);
      assertThat(printed.text()).contains("Note: " + said.get(0));
    }
  }

  /** Holds the look that the watch takes back until the watch is late, however fast the machine. */
  private static final class Late extends PrintStream {

    private static final long HELD_NANOS = (ASKED_SECONDS + 1) * 1_100_000_000L;

    private final ByteArrayOutputStream bytes;

    Late() {
      this(new ByteArrayOutputStream());
    }

    private Late(ByteArrayOutputStream bytes) {
      super(bytes, true, StandardCharsets.UTF_8);
      this.bytes = bytes;
    }

    @Override
    public void println(String line) {
      long end = System.nanoTime() + (line.startsWith("[") ? HELD_NANOS : 0);
      for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      super.println(line);
    }

    String text() {
      return bytes.toString(StandardCharsets.UTF_8);
    }
  }
}
