package io.spillway.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import io.spillway.internal.sink.EventBatch;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A large event is alone in its batch, and every event is in one batch, in order. */
class BatcherTest {
  private static final String LARGE = "x".repeat(Batch.ALONE_BYTES);

  private static final LoggerContext CONTEXT = new LoggerContext();

  static Stream<Batcher<ILoggingEvent>> batchers() {
    PatternLayoutEncoder encoder = encoder("%msg;");
    return Stream.of(
        new EventBatcher(),
        new EncodingBatcher<ILoggingEvent>(encoder),
        PatternBatcher.forEncoder(encoder).get());
  }

  private static PatternLayoutEncoder encoder(String pattern) {
    CONTEXT.setMDCAdapter(new LogbackMDCAdapter());
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(CONTEXT);
    encoder.setCharset(StandardCharsets.UTF_8);
    encoder.setPattern(pattern);
    encoder.start();
    return encoder;
  }

  @ParameterizedTest
  @MethodSource("batchers")
  void shouldGiveALargeEventABatchOfItsOwn(Batcher<ILoggingEvent> batcher) {
    List<List<String>> batches = new ArrayList<>();
    for (String message : List.of("a", "b", LARGE, "c", LARGE, LARGE, "d", "e")) {
      if (!batcher.add(event(message), null)) {
        takeAll(batcher, batches);
      }
    }
    takeAll(batcher, batches);
    assertThat(batches)
        .containsExactly(
            List.of("a", "b"),
            List.of(LARGE),
            List.of("c"),
            List.of(LARGE),
            List.of(LARGE),
            List.of("d", "e"));
    assertThat(batcher.take()).isNull();
  }

  /** Nothing catches this on the way to the batcher, which goes on with what it has. */
  @ParameterizedTest
  @MethodSource("batchers")
  void shouldKeepNothingOfAnEventThatThrows(Batcher<ILoggingEvent> batcher) {
    LoggingEvent throwing =
        new LoggingEvent("", CONTEXT.getLogger("test"), Level.INFO, "", null, null) {
          @Override
          public String getFormattedMessage() {
            throw new OutOfMemoryError("on purpose");
          }
        };
    List<List<String>> batches = new ArrayList<>();
    batcher.add(event("a"), null);
    for (int i = 0; i < 2 * Batch.MAX_EVENTS; i++) {
      assertThatThrownBy(() -> batcher.add(throwing, null)).isInstanceOf(OutOfMemoryError.class);
    }
    batcher.add(event("b"), null);
    takeAll(batcher, batches);
    assertThat(batches).containsExactly(List.of("a", "b"));
  }

  /** One that differs from call to call is never found again, and may be of any length. */
  @Test
  void shouldRememberNoLongMessage() {
    Batcher<ILoggingEvent> batcher =
        batchers().reduce((first, last) -> last).orElseThrow(); // of a pattern
    awaitForgotten(addLongMessage(batcher));
  }

  private static void awaitForgotten(WeakReference<String> text) {
    await()
        .until(
            () -> {
              System.gc();
              return text.get() == null;
            });
  }

  private static WeakReference<String> addLongMessage(Batcher<ILoggingEvent> batcher) {
    String message = "x".repeat(5_000) + "{}";
    batcher.add(event(message), new Object[] {1});
    assertThat(messages(batcher.take())).containsExactly("x".repeat(5_000) + "1");
    return new WeakReference<>(message);
  }

  /** Some applications name a thread after its request, as long as the client likes. */
  @ParameterizedTest
  @ValueSource(strings = {"%thread %msg;", "%.20thread %msg;"})
  void shouldRememberNoLongThreadName(String pattern) {
    Batcher<ILoggingEvent> batcher = PatternBatcher.forEncoder(encoder(pattern)).get();
    awaitForgotten(addOfLongThread(batcher));
  }

  private static WeakReference<String> addOfLongThread(Batcher<ILoggingEvent> batcher) {
    String thread = "x".repeat(5_000);
    LoggingEvent event =
        new LoggingEvent("", CONTEXT.getLogger("test"), Level.INFO, "a", null, null);
    event.setThreadName(thread);
    batcher.add(event, null);
    assertThat(messages(batcher.take())).singleElement().asString().endsWith("xxx a");
    return new WeakReference<>(thread);
  }

  private static void takeAll(Batcher<ILoggingEvent> batcher, List<List<String>> batches) {
    for (Batch batch = batcher.take(); batch != null; batch = batcher.take()) {
      List<String> messages = messages(batch);
      assertThat(batch.events()).isEqualTo(messages.size());
      int characters = messages.stream().mapToInt(String::length).sum();
      assertThat(batch.heapBytes()).isBetween((long) characters, characters + 1000L);
      batches.add(messages);
    }
  }

  private static List<String> messages(Batch batch) {
    if (batch instanceof ByteBatch bytes) {
      String text = new String(bytes.bytes(), StandardCharsets.UTF_8);
      return List.of(text.split(";"));
    }
    return Stream.of(((EventBatch) batch).array())
        .map(ILoggingEvent::getFormattedMessage)
        .collect(Collectors.toList());
  }

  private static ILoggingEvent event(String message) {
    return new LoggingEvent("", CONTEXT.getLogger("test"), Level.INFO, message, null, null);
  }
}
