package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Promise 16: an argument is printed as it was in the log call, and with the file appender no
 * thread of Spillway needs a monitor of the caller.
 */
class P16ArgumentsTest extends Promise {
  /** Everything that changes after the call is printed as it was in it. */
  @Both
  void theMessageShowsTheArgumentAsItWasInTheCall(Kind kind) {
    try (Probe probe = new Probe(kind, directory)) {
      probe.encoder(Probe.pattern("%msg %X{user}%n"));
      probe.gate.shut();
      probe.start();
      StringBuilder text = new StringBuilder("before");
      List<String> list = new ArrayList<>(List.of("a"));
      int[] numbers = {1, 2};
      probe.context.getMDCAdapter().put("user", "u1");
      for (int i = 0; i < 1_000; i++) {
        probe.logger.info("{} {} {} {}", i, text, list, numbers);
      }
      text.setLength(0);
      list.clear();
      numbers[0] = 9;
      probe.context.getMDCAdapter().put("user", "u2");
      probe.gate.open();
      probe.awaitDelivered();
      assertThat(probe.lines())
          .hasSize(1_000)
          .allMatch(line -> line.endsWith(" before [a] [1, 2] u1"));
    }
  }

  /** An encoder that prints the objects themselves, as encoders for JSON do. */
  private static final class Raw extends EncoderBase<ILoggingEvent> {
    @Override
    public byte[] headerBytes() {
      return new byte[0];
    }

    @Override
    public byte[] footerBytes() {
      return new byte[0];
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
      String line = event.getArgumentArray()[0] + " " + event.getKeyValuePairs().get(0).value;
      return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }
  }

  /** The file appender encodes in the call, so also what an encoder asks for by itself. */
  @Test
  void anEncoderOfTheFileAppenderSeesTheObjectsAsTheyWereInTheCall() {
    try (Probe probe = new Probe(Kind.FILE, directory).encoder(new Raw())) {
      probe.gate.shut();
      probe.start();
      StringBuilder argument = new StringBuilder("argument");
      StringBuilder value = new StringBuilder("value");
      for (int i = 0; i < 1_000; i++) {
        probe.logger.atInfo().setMessage("{}").addArgument(argument).addKeyValue("k", value).log();
      }
      argument.append(" later");
      value.append(" later");
      probe.gate.open();
      probe.awaitDelivered();
      assertThat(probe.lines()).hasSize(1_000).containsOnly("argument value");
    }
  }

  /** Its text needs a monitor that the logging thread holds until the event is written. */
  private static final class Guarded {
    @Override
    public synchronized String toString() {
      return "guarded";
    }
  }

  /** Only the message of the wrapping appender is formatted in the call, as by AsyncAppender. */
  @ParameterizedTest
  @CsvSource({"FILE, false", "FILE, true", "WRAPPED, false"})
  void aThreadMayHoldTheMonitorOfItsArgumentUntilTheEventIsWritten(Kind kind, boolean raw) {
    Guarded guarded = new Guarded();
    try (Probe probe = new Probe(kind, directory)) {
      probe.encoder(raw ? new Raw() : Probe.pattern("%msg%n")).start();
      synchronized (guarded) {
        probe.logger.atInfo().setMessage("{}").addArgument(guarded).addKeyValue("k", guarded).log();
        probe.awaitDelivered(); // by this thread, which still holds it
        assertThat(probe.lines()).containsExactly(raw ? "guarded guarded" : "guarded");
      }
      assertThat(probe.metrics().getLost()).isZero();
    }
  }
}
