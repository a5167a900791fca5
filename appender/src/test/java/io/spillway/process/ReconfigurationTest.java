package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Rig;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A new configuration loses nothing of what the old appender accepted. */
@Timeout(120)
class ReconfigurationTest {
  private static final int THREADS = 4;

  private static final String WRAPPED =
      """
      <appender name="FILE" class="ch.qos.logback.core.FileAppender">
        <file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>
      </appender>
      <appender name="SPILLWAY" class="io.spillway.SpillwayAppender">
        <spillDirectory>DIR/spill</spillDirectory><maxFlushTime>30 seconds</maxFlushTime>
        <appender-ref ref="FILE"/>
      </appender>
      """;
  private static final String OWN_FILE =
      """
      <appender name="SPILLWAY" class="io.spillway.SpillwayRollingFileAppender">
        <file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>
        <spillDirectory>DIR/spill</spillDirectory><maxFlushTime>30 seconds</maxFlushTime>
        <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
          <fileNamePattern>DIR/app.%d{yyyy-MM-dd}.log</fileNamePattern>
        </rollingPolicy>
      </appender>
      """;
  private static final String FRAME =
      """
      <configuration SCAN>
        APPENDERS
        <logger name="test" level="INFO"><appender-ref ref="SPILLWAY"/></logger>
      </configuration>
      """;

  @TempDir Path directory;

  private final LoggerContext context = Subject.newContext();
  private final List<SpillwayMetrics> used = new ArrayList<>();
  private final AtomicBoolean done = new AtomicBoolean();

  private String configuration(Kind kind, String scan) {
    return FRAME
        .replace("SCAN", scan)
        .replace("APPENDERS", kind == Kind.WRAPPED ? WRAPPED : OWN_FILE)
        .replace("DIR", directory.toString());
  }

  private void configure(String xml) throws Exception {
    Path file = directory.resolve("logback.xml");
    Files.writeString(file, xml);
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(file.toFile());
    assertThat(current()).as(() -> statuses()).isNotNull();
    used.add(metrics(current()));
  }

  private String statuses() {
    return String.valueOf(context.getStatusManager().getCopyOfStatusList());
  }

  private Appender<ILoggingEvent> current() {
    return context.getLogger("test").getAppender("SPILLWAY");
  }

  private static SpillwayMetrics metrics(Appender<ILoggingEvent> appender) {
    return appender instanceof SpillwayAppender wrapping
        ? wrapping.getMetrics()
        : ((SpillwayRollingFileAppender<ILoggingEvent>) appender).getMetrics();
  }

  @ParameterizedTest
  @EnumSource
  void shouldDeliverEverythingAcceptedAcrossResets(Kind kind) throws Exception {
    configure(configuration(kind, ""));
    List<Thread> threads = startLogging();
    for (int i = 0; i < 10; i++) {
      SpillwayMetrics old = used.get(used.size() - 1);
      await().until(() -> old.getAccepted() > 1_000);
      context.reset();
      configure(configuration(kind, ""));
    }
    finish(threads);
  }

  @ParameterizedTest
  @EnumSource
  void shouldDeliverEverythingAcceptedWhenAChangedFileIsScanned(Kind kind) throws Exception {
    String scan = "scan=\"true\" scanPeriod=\"50 milliseconds\"";
    configure(configuration(kind, scan));
    List<Thread> threads = startLogging();
    for (int i = 1; i <= 2; i++) {
      Appender<ILoggingEvent> old = current();
      SpillwayMetrics oldMetrics = metrics(old);
      await().until(() -> oldMetrics.getAccepted() > 1_000);
      Path file = directory.resolve("logback.xml");
      Files.writeString(file, configuration(kind, scan) + "<!-- " + i + " -->");
      Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(5L * i)));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> current() != null && current() != old && metrics(current()) != null);
      used.add(metrics(current()));
    }
    finish(threads);
  }

  private List<Thread> startLogging() {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      String stream = String.valueOf(t);
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; !done.get(); i++) {
                  context.getLogger("test").info("#{}:{}.", stream, i);
                  LockSupport.parkNanos(10_000);
                }
              });
      threads.add(thread);
      thread.start();
    }
    return threads;
  }

  private void finish(List<Thread> threads) throws Exception {
    SpillwayMetrics last = used.get(used.size() - 1);
    await().until(() -> last.getAccepted() > 1_000);
    done.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    context.stop();
    long accepted = used.stream().mapToLong(SpillwayMetrics::getAccepted).sum();
    List<String> lines = Files.readAllLines(directory.resolve("app.log"));
    SequenceCheck check = new SequenceCheck(lines).assertInOrderWithoutFragments();
    assertThat(check.duplicates()).isZero();
    assertThat(lines).as("delivered of those accepted").hasSize((int) accepted);
    assertThat(used).allMatch(metrics -> metrics.getLost() == 0);
    assertThat(Rig.filesBelow(directory.resolve("spill"))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void shouldGiveTwoContextsOnOneSpillDirectoryASlotEach(Kind kind) throws Exception {
    Path one = Files.createDirectory(directory.resolve("one"));
    Path two = Files.createDirectory(directory.resolve("two"));
    try (Subject first = new Subject(kind, one);
        Subject second = new Subject(kind, two)) {
      for (Subject subject : List.of(first, second)) {
        subject.settings().setSpillDirectory(directory.resolve("shared").toString());
        subject.gate.shut();
        subject.start();
      }
      first.log("1", 0, 20_000);
      second.log("2", 0, 20_000);
      await().until(() -> second.metrics().getSpilled() > 0 && first.metrics().getSpilled() > 0);
      assertThat(Rig.filesBelow(directory.resolve("shared")).stream().map(Path::getParent))
          .as("slots")
          .contains(directory.resolve("shared"), directory.resolve("shared").resolve("1"));
      first.gate.open();
      second.gate.open();
      first.awaitDelivered();
      second.awaitDelivered();
      assertThat(first.lines()).hasSize(20_000);
      assertThat(second.lines()).hasSize(20_000);
      new SequenceCheck(first.lines()).assertInOrderWithoutFragments().assertComplete("1", 20_000);
      new SequenceCheck(second.lines()).assertInOrderWithoutFragments().assertComplete("2", 20_000);
    }
    assertThat(Rig.filesBelow(directory.resolve("shared"))).isEmpty();
  }
}
