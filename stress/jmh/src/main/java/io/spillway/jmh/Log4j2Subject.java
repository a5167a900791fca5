package io.spillway.jmh;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.async.AsyncLoggerContext;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;
import org.apache.logging.log4j.core.jmx.RingBufferAdmin;

/**
 * Log4j 2's async loggers, called by its own interface, over a file that is flushed once a batch,
 * as Log4j advises. Here they have Spillway's Disruptor 4; {@code bench throughput} gives them a
 * JVM and a Disruptor 3 of their own.
 */
final class Log4j2Subject extends Subject {
  private final AsyncLoggerContext context = new AsyncLoggerContext("jmh");
  private final RingBufferAdmin ring;

  Log4j2Subject(AppenderKind kind) throws IOException {
    super(kind);
    ConfigurationBuilder<BuiltConfiguration> builder =
        ConfigurationBuilderFactory.newConfigurationBuilder();
    builder.setStatusLevel(Level.WARN);
    builder.add(
        builder
            .newAppender("FILE", "RollingRandomAccessFile")
            .addAttribute("fileName", file().toString())
            .addAttribute("filePattern", file() + ".%i.gz")
            .addAttribute("immediateFlush", false)
            .add(builder.newLayout("PatternLayout").addAttribute("pattern", Contexts.PATTERN))
            .addComponent(
                builder
                    .newComponent("SizeBasedTriggeringPolicy")
                    .addAttribute("size", Contexts.NEVER_BYTES)));
    builder.add(builder.newRootLogger(Level.INFO).add(builder.newAppenderRef("FILE")));
    context.start(builder.build());
    ring = context.createRingBufferAdmin();
  }

  @Override
  LogCall logger() {
    return context.getLogger(LOGGER)::info;
  }

  /** Callers wait for room, so nothing is dropped. */
  @Override
  Settlement awaitIdle(long callsSoFar) {
    while (ring.getRemainingCapacity() < ring.getBufferSize()) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    return new Settlement(0, 0);
  }

  @Override
  void stop() {
    context.stop();
  }
}
