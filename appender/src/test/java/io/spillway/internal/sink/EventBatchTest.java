package io.spillway.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.event.KeyValuePair;

/** The memory buffer is bounded by this estimate: whatever text an event holds has to count. */
class EventBatchTest {
  private static final int LARGE = 100_000;

  private final String text = "x".repeat(LARGE);

  @Test
  void shouldCountWhateverTextAnEventHolds() {
    assertLarge(event -> event.setMessage(text));
    assertLarge(event -> event.setThreadName(text));
    assertLarge(event -> event.setArgumentArray(new Object[] {1, text}));
    assertLarge(event -> event.setMDCPropertyMap(Map.of("a", "b", "key", text)));
    assertLarge(event -> event.addKeyValuePair(new KeyValuePair("key", text)));
    assertLarge(event -> event.setThrowableProxy(proxy(new Exception(text))));
    assertLarge(event -> event.setThrowableProxy(proxy(new Exception("a", new Exception(text)))));
    Exception outer = new Exception("outer");
    outer.addSuppressed(new Exception(text));
    assertLarge(event -> event.setThrowableProxy(proxy(outer)));
  }

  @Test
  void shouldCountAnEventWithoutAnythingForItself() {
    assertThat(estimate(event -> {})).isBetween(200L, 1_000L);
  }

  private static ThrowableProxy proxy(Throwable throwable) {
    return new ThrowableProxy(throwable);
  }

  private void assertLarge(Consumer<LoggingEvent> filling) {
    assertThat(estimate(filling)).isBetween((long) LARGE, 2L * LARGE);
  }

  private static long estimate(Consumer<LoggingEvent> filling) {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    Logger logger = context.getLogger("a");
    LoggingEvent event = new LoggingEvent("", logger, Level.INFO, null, null, null);
    filling.accept(event);
    return EventBatch.estimate(event);
  }

  /** Of somebody else's making; Logback marks a circle, and ends there. */
  @Test
  @Timeout(30)
  void shouldWeighAThrowableThatIsItsOwnCauseAndSuppressesItself() {
    IThrowableProxy circle =
        (IThrowableProxy)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {IThrowableProxy.class},
                (proxy, method, arguments) -> {
                  IThrowableProxy[] twenty = new IThrowableProxy[20];
                  Arrays.fill(twenty, proxy);
                  return switch (method.getName()) {
                    case "getCause" -> proxy;
                    case "getSuppressed" -> twenty;
                    default -> null;
                  };
                });
    assertThat(EventBatch.estimate(circle)).isPositive();
  }
}
