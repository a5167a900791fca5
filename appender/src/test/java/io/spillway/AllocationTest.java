package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.sun.management.ThreadMXBean;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a log call allocates in its thread, besides what Logback does for the event. */
@Timeout(120)
class AllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int CALLS = 1_000; // much less than the ring has slots
  private static final int ROUNDS = 20;

  /** An array of five references: so nobody can change the arguments after the call. */
  private static final long COPY_OF_ARGUMENTS = 40;

  @TempDir Path directory;

  /** Takes an event as Logback's AsyncAppender does, or leaves it as it is. */
  private static final class Sink extends AppenderBase<ILoggingEvent> {
    private final boolean prepares;

    Sink(boolean prepares) {
      this.prepares = prepares;
    }

    @Override
    protected void append(ILoggingEvent event) {
      if (prepares) {
        event.prepareForDeferredProcessing();
        event.getMDCPropertyMap();
      }
    }
  }

  private static long bytesOf(boolean prepares) {
    LoggerContext context = Subject.newContext();
    Sink sink = new Sink(prepares);
    sink.setContext(context);
    sink.start();
    Logger logger = context.getLogger("test");
    logger.addAppender(sink);
    return bytes(logger, () -> {});
  }

  private long bytesOf(Kind kind) {
    try (Subject subject = new Subject(kind, directory).start()) {
      return bytes(subject.logger, subject::awaitDelivered);
    }
  }

  /** Of one call, as the quietest of some rounds has it: the first ones load and compile. */
  private static long bytes(Logger logger, Runnable settle) {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < CALLS; i++) {
        logger.info("order {} of {}, {} items, {}, total {}", 1, "customer", 2, "by card", 3);
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
      settle.run();
    }
    return least / CALLS;
  }

  @Test
  void shouldAllocateNoMoreThanACopyOfTheArgumentsBesidesTheEvent() {
    assertThat(bytesOf(Kind.OWN_FILE)).isEqualTo(bytesOf(false) + COPY_OF_ARGUMENTS);
  }

  @Test
  void shouldAllocateNoMoreThanAsyncAppenderWhereAnAppenderIsWrapped() {
    assertThat(bytesOf(Kind.WRAPPED)).isLessThanOrEqualTo(bytesOf(true));
  }
}
