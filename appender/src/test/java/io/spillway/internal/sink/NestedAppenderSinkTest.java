package io.spillway.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.EchoEncoder;
import ch.qos.logback.core.util.FileSize;
import io.spillway.metrics.LossCause;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NestedAppenderSinkTest extends SinkRig {
  @TempDir Path directory;
  private final Recorded appender = new Recorded();

  /** Keeps messages; what runs before one is kept may throw. */
  private static final class Recorded extends UnsynchronizedAppenderBase<ILoggingEvent> {
    private final List<String> messages = new ArrayList<>();
    private Consumer<ILoggingEvent> before = event -> {};

    @Override
    protected void append(ILoggingEvent event) {
      before.accept(event);
      messages.add(event.getFormattedMessage());
    }
  }

  NestedAppenderSinkTest() {
    appender.setContext(context);
    appender.start();
  }

  private Batch batch(String... messages) {
    batch.clear();
    for (String message : messages) {
      batch.add(event(message), 0);
    }
    return batch;
  }

  private long lost() {
    return counters.count(LossCause.SINK_FAILED);
  }

  @Test
  void shouldGoOnBehindWhatIsDoneAndCountAllOfIt() {
    nested.addAppender(appender);
    batch("one", "two", "three").done(1);
    sink().deliver(batch);

    assertThat(appender.messages).containsExactly("two", "three");
    assertThat(batch.done()).isEqualTo(3);
    assertThat(counters.settled()).isEqualTo(2);
  }

  @Test
  void shouldLoseTheEventThatTheAppenderThrowsAt() {
    nested.addAppender(appender);
    appender.before =
        event -> {
          if (event.getMessage().equals("two")) {
            throw new StackOverflowError("no");
          }
        };
    batch("one", "two", "three");
    sink().deliver(batch);

    assertThat(appender.messages).containsExactly("one", "three");
    assertThat(batch.done()).isEqualTo(3);
    assertThat(lost()).isEqualTo(1);
    assertThat(counters.settled()).isEqualTo(3);
    assertThat(statuses()).contains("The nested appender threw").contains("SINK_FAILED");
  }

  @Test
  void shouldTakeNoEventOfAFencedBatchAndKeepInterruptsFromTheAppender() {
    nested.addAppender(appender);
    AtomicBoolean seen = new AtomicBoolean();
    appender.before =
        event -> {
          seen.set(Thread.currentThread().isInterrupted());
          batch.fence();
        };
    batch("one", "two");
    Thread.currentThread().interrupt();
    sink().deliver(batch);

    assertThat(appender.messages).containsExactly("one");
    assertThat(batch.done()).isEqualTo(1);
    assertThat(counters.settled()).isEqualTo(1);
    assertThat(seen).isFalse();
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void shouldLoseEventsWhileNoAppenderIsAttached() {
    NestedAppenderSink sink = sink();
    sink.deliver(batch("one", "two", "three"));
    assertThat(lost()).isEqualTo(3);
    assertThat(sink.isMissing()).isTrue();
    assertThat(statuses()).contains("ERROR").contains("No started appender is attached");

    nested.addAppender(appender);
    sink.deliver(batch("four"));
    assertThat(appender.messages).containsExactly("four");
    assertThat(sink.isMissing()).isFalse();
    assertThat(lost()).isEqualTo(3);
    assertThat(statuses()).contains("An appender takes events again");
  }

  @Test
  void shouldTakeAStoppedAppenderForNone() {
    nested.addAppender(appender);
    NestedAppenderSink sink = sink();
    appender.stop();
    sink.deliver(batch("one"));
    appender.start();
    sink.deliver(batch("two"));

    assertThat(appender.messages).containsExactly("two");
    assertThat(lost()).isEqualTo(1);
  }

  private FileAppender<ILoggingEvent> file() {
    EchoEncoder<ILoggingEvent> encoder = new EchoEncoder<>();
    encoder.setContext(context);
    encoder.start();
    FileAppender<ILoggingEvent> file = new FileAppender<>();
    file.setContext(context);
    file.setFile(directory.resolve("app.log").toString());
    file.setImmediateFlush(false);
    file.setBufferSize(new FileSize(8192));
    file.setEncoder(encoder);
    file.start();
    nested.addAppender(file);
    return file;
  }

  @Test
  void shouldFlushAFileAndStopTheAppender() {
    FileAppender<ILoggingEvent> file = file();
    NestedAppenderSink sink = sink();
    Path log = Path.of(file.getFile());
    sink.deliver(batch("one"));
    assertThat(log).isEmptyFile();
    sink.flush();
    assertThat(log).content(UTF_8).isEqualToIgnoringNewLines("[INFO] one");
    sink.close();

    assertThat(file.isStarted()).isFalse();
    assertThat(nested.iteratorForAppenders().hasNext()).isFalse();
  }
}
