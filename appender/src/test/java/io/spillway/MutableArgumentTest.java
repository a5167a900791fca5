package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the caller changes after the call is not in the message, wherever the event went. */
class MutableArgumentTest {
  private static final int EVENTS = 2000;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"OVERFLOW", "ALWAYS"})
  void shouldKeepTheMessageOfTheCall(String spillMode) {
    GatedAppender sink = new GatedAppender();
    sink.shut();
    try (Rig rig = new Rig(directory, sink)) {
      rig.appender.setSpillMode(spillMode);
      rig.appender.setMemoryBuffer("64KB");
      rig.start();
      StringBuilder reused = new StringBuilder();
      List<Integer> list = new ArrayList<>();
      for (int i = 0; i < EVENTS; i++) {
        reused.setLength(0);
        reused.append("value").append(i);
        list.clear();
        list.add(i);
        rig.logger.info("{} of {}", reused, list);
      }
      reused.append(" changed");
      list.add(-1);
      sink.open();
      rig.awaitDelivered();
      assertThat(sink.messages())
          .isEqualTo(
              IntStream.range(0, EVENTS).mapToObj(i -> "value" + i + " of [" + i + "]").toList());
    }
  }

  /**
   * Arguments are handed over as they are, as behind an AsyncAppender: who prints them themselves
   * prints what they have become. README, MIGRATION and the appenders' Javadoc say so.
   */
  @Test
  void shouldShowAnEncoderOfArgumentsWhatTheyHaveBecome() throws Exception {
    CountDownLatch logged = new CountDownLatch(1);
    try (FileRig rig =
        new FileRig(directory.resolve("app.log")).encoder(new ArgumentEncoder(logged))) {
      rig.start();
      logReused(rig.logger);
      logged.countDown();
      rig.awaitDelivered();
      assertThat(Files.readAllLines(rig.file)).isEqualTo(lines());
    }
  }

  @Test
  void shouldShowANestedAppenderWhatArgumentsHaveBecome() {
    List<String> printed = new ArrayList<>();
    GatedAppender sink = new GatedAppender();
    sink.before(event -> printed.add(ArgumentEncoder.line(event)));
    sink.shut();
    try (Rig rig = new Rig(directory, sink).start()) {
      logReused(rig.logger);
      sink.open();
      rig.awaitDelivered();
      assertThat(printed).isEqualTo(lines());
    }
  }

  private static void logReused(Logger logger) {
    StringBuilder reused = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      reused.setLength(0);
      reused.append("value").append(i);
      logger.info("{} {}", reused, reused.toString());
    }
  }

  private static List<String> lines() {
    return IntStream.range(0, 5)
        .mapToObj(i -> "value" + i + " value" + i + " [value4, value" + i + "]")
        .toList();
  }

  /** Prints the arguments themselves, as encoders of structured logs do. */
  private static final class ArgumentEncoder extends EncoderBase<ILoggingEvent> {
    private final CountDownLatch logged;

    ArgumentEncoder(CountDownLatch logged) {
      this.logged = logged;
    }

    static String line(ILoggingEvent event) {
      return event.getFormattedMessage() + " " + Arrays.toString(event.getArgumentArray());
    }

    @Override
    public byte[] headerBytes() {
      return null;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
      try {
        logged.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return (line(event) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] footerBytes() {
      return null;
    }
  }
}
