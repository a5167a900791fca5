package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
import io.spillway.stress.report.LoadFigures;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BufferWatchTest {

  private static final String NESTED =
      """
      <configuration>
        <appender name="FILE" class="io.spillway.SpillwayRollingFileAppender">
          <file>%1$s/app.log</file>
          <rollingPolicy class="io.spillway.rolling.TimeBasedRollingPolicy">
            <fileNamePattern>%1$s/app.%%d.log</fileNamePattern>
          </rollingPolicy>
          <encoder><pattern>%%m%%n</pattern></encoder>
        </appender>
        <appender name="ASYNC" class="ch.qos.logback.classic.AsyncAppender">
          <queueSize>64</queueSize>
          <appender-ref ref="FILE"/>
        </appender>
        <logger name="shop"><appender-ref ref="ASYNC"/></logger>
        <root><appender-ref ref="ASYNC"/></root>
      </configuration>
      """;

  @TempDir Path directory;
  private final LoggerContext context = new LoggerContext();
  private final Gate gate = new Gate();

  @AfterEach
  void stop() {
    gate.opened.countDown();
    context.stop();
  }

  @Test
  void shouldFindEveryAppenderOnceAlsoThoseWithinOthers() throws Exception {
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    String xml = String.format(NESTED, directory);
    configurator.doConfigure(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    BufferWatch watch = new LogbackSystem(context).buffers();

    watch.sample(0);
    watch.sample(1.25);

    List<LoadFigures.Buffer> figures = watch.figures();
    assertThat(figures).extracting(LoadFigures.Buffer::appender).containsExactly("ASYNC", "FILE");
    assertThat(figures.get(0).queueCapacity()).isEqualTo(64);
    assertThat(figures.get(0).spillCapacityBytes()).isNull();
    assertThat(figures.get(0).samples())
        .containsExactly(
            new LoadFigures.Buffer.Sample(0, 0, null, null),
            new LoadFigures.Buffer.Sample(1.25, 0, null, null));
    assertThat(figures.get(1).type()).isEqualTo("io.spillway.SpillwayRollingFileAppender");
    assertThat(figures.get(1).queueCapacity()).isEqualTo(16_384);
    assertThat(figures.get(1).spillCapacityBytes()).isEqualTo(1 << 30);
    assertThat(figures.get(1).samples())
        .containsExactly(
            new LoadFigures.Buffer.Sample(0, 0, 0L, 0L),
            new LoadFigures.Buffer.Sample(1.25, 0, 0L, 0L));
  }

  @Test
  void shouldCountWhatWaitsInAQueue() throws Exception {
    context.setMDCAdapter(new LogbackMDCAdapter()); // without one no event gets far
    gate.setContext(context);
    gate.start();
    AsyncAppender async = new AsyncAppender();
    async.setContext(context);
    async.addAppender(gate);
    async.start();
    Logger logger = context.getLogger("shop");
    logger.addAppender(async);
    BufferWatch watch = new LogbackSystem(context).buffers();

    logger.info("taken out of the queue");
    assertThat(gate.entered.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 4; i++) {
      logger.info("left in it");
    }
    watch.sample(2);

    assertThat(watch.figures().get(0).samples())
        .containsExactly(new LoadFigures.Buffer.Sample(2, 4, null, null));
  }

  /** Lets nothing pass until it is opened. */
  private static final class Gate extends AppenderBase<ILoggingEvent> {
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    @Override
    protected void append(ILoggingEvent event) {
      entered.countDown();
      try {
        opened.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
