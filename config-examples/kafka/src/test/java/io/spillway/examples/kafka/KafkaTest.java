package io.spillway.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example with a real broker, which is down at first, goes down once more, and comes back. */
@Timeout(900)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class) // only to save starts of the broker
@Tag("slow")
class KafkaTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration INTERVAL = Duration.ofMillis(100);
  private static final int AT_A_TIME = 40;

  /** As a message with a stack trace: what comes during an outage exceeds what the ring takes. */
  private static final String DETAILS = "x".repeat(6_000);

  /** What the example's pattern makes of it, before the message. */
  private static final Pattern LINE =
      Pattern.compile(
          "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[.]\\d{3}(Z|[+-]\\d\\d:\\d\\d)"
              + " \\[[^]]+] INFO  [\\w.]+ - ");

  @TempDir static Path directory;
  private static Broker broker;

  @TempDir Path logs;

  private interface Ending {
    void end() throws Exception;
  }

  @BeforeAll
  static void makeBroker() throws Exception {
    broker = new Broker(directory);
  }

  @AfterAll
  static void endBroker() throws Exception {
    broker.kill();
  }

  @Test
  @Order(1)
  void shouldDeliverAfterARestartWhatWasLoggedBeforeTheBrokerWasThere() throws Exception {
    broker.kill();
    runApplication(0, 1_000, Application.Ending.AT_ONCE);
    runApplication(1_000, 2_000, Application.Ending.AT_ONCE);

    broker.start();
    runApplication(2_000, 2_100, Application.Ending.DELIVERED);

    assertInTopic("restart", 0, 2_100);
  }

  private void runApplication(int from, int to, Application.Ending ending) throws Exception {
    List<String> options =
        List.of(
            "-Dlogback.configurationFile=" + Example.XML,
            "-DLOG_DIR=" + logs,
            "-DKAFKA_BOOTSTRAP_SERVERS=" + broker.bootstrapServers());
    Process application =
        Jvm.start(logs, options, Application.class, "restart", from, to, ending.name());
    try {
      assertThat(application.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      application.destroyForcibly();
    }
    assertThat(application.exitValue()).as(Files.readString(logs.resolve("output.txt"))).isZero();
  }

  @Test
  @Order(2)
  void shouldKeepInAFileWhatKafkaRefuses() throws Exception {
    broker.start();
    try (Example example = new Example(logs, broker.bootstrapServers())) {
      example.logger().info("refused 0 {}", "x".repeat(2_000_000)); // Kafka's limit is 1 MB
      example.logger().info("taken 0 {}", DETAILS);
      example.awaitDelivered(PATIENCE);
    }
    assertInTopic("refused", 0, 0);
    assertInTopic("taken", 0, 1);
    assertThat(Files.readString(logs.resolve("kafka.log"))).containsOnlyOnce(" - refused 0 xxx");
  }

  @Test
  @Order(3)
  void shouldLoseNothingWhileTheBrokerIsDown(TestReporter reporter) throws Exception {
    logThroughAnOutage("killed", broker::kill, Duration.ofSeconds(5), reporter);
  }

  @Test
  @Tag("full")
  @Order(4)
  void shouldLoseNothingWhileTheBrokerIsDownForMinutes(TestReporter reporter) throws Exception {
    logThroughAnOutage("stopped", broker::stop, Duration.ofMinutes(3), reporter);
  }

  /** As long as Kafka's client would wait by default, and longer. */
  @Test
  @Tag("full")
  @Order(5)
  void shouldLoseNothingWhenTheBrokerComesMinutesAfterTheApplication() throws Exception {
    broker.kill();
    int logged;
    try (Example example = new Example(logs, broker.bootstrapServers())) {
      logged = logFor(Duration.ofSeconds(90), example, "late", 0);
      broker.start();
      example.awaitDelivered(PATIENCE);
    }
    assertInTopic("late", 0, logged);
  }

  /** The broker takes some seconds more to come back. */
  private void logThroughAnOutage(
      String name, Ending ending, Duration duration, TestReporter reporter) throws Exception {
    broker.start();
    int logged;
    try (Example example = new Example(logs, broker.bootstrapServers())) {
      SpillwayMetrics metrics = example.metrics();
      int before = log(example, name, 0);
      example.awaitDelivered(PATIENCE);

      ending.end();
      assertThat(broker.isRunning()).isFalse();
      long down = System.nanoTime();
      logged = logFor(duration, example, name, before);
      assertThat(metrics.getDelivered()).as("delivered while it is down").isEqualTo(before);
      assertThat(metrics.getSpilled()).isPositive();
      assertThat(logs.resolve("kafka.spill")).isNotEmptyDirectory();

      broker.start();
      await().atMost(PATIENCE).until(() -> metrics.getDelivered() > before);
      long back = System.nanoTime();
      reporter.publishEntry(name + ": seconds without a broker", seconds(back - down));
      logged = log(example, name, logged);
      example.awaitDelivered(PATIENCE.plus(duration));
      reporter.publishEntry(
          name + ": seconds to catch up with " + (logged - before) + " events",
          seconds(System.nanoTime() - back));
      assertThat(metrics.getBlockedCalls()).as("log calls that waited").isZero();
      assertThat(metrics.getLost() + metrics.getDropped()).isZero();
    }
    assertThat(logs.resolve("kafka.spill")).doesNotExist();
    assertInTopic(name, 0, logged);
    assertThat(Files.readString(logs.resolve("kafka.log")))
        .as("what the client logged")
        .contains("NetworkClient");
  }

  private static int logFor(Duration duration, Example example, String name, int from) {
    long start = System.nanoTime();
    int[] next = {from};
    await()
        .atMost(duration.plus(PATIENCE))
        .pollInterval(INTERVAL)
        .until(
            () -> {
              next[0] = log(example, name, next[0]);
              return System.nanoTime() - start >= duration.toNanos();
            });
    return next[0];
  }

  private static String seconds(long nanos) {
    return String.valueOf(Math.round(nanos / 1e8) / 10.0);
  }

  private static int log(Example example, String name, int from) {
    for (int i = from; i < from + AT_A_TIME; i++) {
      example.logger().info("{} {} " + DETAILS, name, i);
    }
    return from + AT_A_TIME;
  }

  /** Every event once, in order; nothing that is not from these tests is between them. */
  private static void assertInTopic(String name, int from, int to) {
    List<String> lines = Topic.read(broker.bootstrapServers());
    assertThat(lines).allMatch(LINE.asPredicate(), LINE.pattern());
    List<String> messages =
        lines.stream()
            .map(line -> line.substring(line.indexOf(" - ") + 3).replace(DETAILS, "").trim())
            .toList();
    assertThat(messages).allMatch(text -> text.matches("(restart|taken|killed|stopped|late) \\d+"));
    assertThat(messages.stream().filter(text -> text.startsWith(name + " ")))
        .containsExactlyElementsOf(
            IntStream.range(from, to).mapToObj(i -> name + " " + i).toList());
  }
}
