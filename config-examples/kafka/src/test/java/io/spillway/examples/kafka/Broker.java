package io.spillway.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A Kafka broker, which is its own controller (KRaft), in a JVM of its own. It keeps its ports and
 * its data when it is started again.
 */
final class Broker {
  /** More than one, so that the order of events depends on the example's keys. */
  private static final int PARTITIONS = 3;

  private final Path directory;
  private final int port;
  private Process process;

  Broker(Path directory) throws IOException {
    this.directory = directory;
    try (ServerSocket clients = new ServerSocket(0);
        ServerSocket controller = new ServerSocket(0)) {
      port = clients.getLocalPort();
      Files.write(properties(), properties(controller.getLocalPort()));
    }
  }

  private List<String> properties(int controllerPort) {
    return List.of(
        "process.roles=broker,controller",
        "node.id=1",
        "controller.quorum.voters=1@localhost:" + controllerPort,
        "controller.listener.names=CONTROLLER",
        "listeners=PLAINTEXT://localhost:" + port + ",CONTROLLER://localhost:" + controllerPort,
        "log.dirs=" + directory.resolve("data"),
        "num.partitions=" + PARTITIONS,
        "offsets.topic.replication.factor=1",
        // A broker that was killed may come back once its last session is over.
        "broker.session.timeout.ms=2000",
        "broker.heartbeat.interval.ms=500",
        "log.cleaner.enable=false");
  }

  private Path properties() {
    return directory.resolve("server.properties");
  }

  String bootstrapServers() {
    return "localhost:" + port;
  }

  boolean isRunning() {
    return process != null && process.isAlive();
  }

  /** Starts it if it is not running; clients wait until it answers. */
  void start() throws IOException {
    if (!isRunning()) {
      process = Jvm.start(directory, List.of(), BrokerMain.class, properties());
    }
  }

  /** SIGTERM: an orderly end. */
  void stop() throws InterruptedException {
    process.toHandle().destroy(); // Process.destroy would close the pipes as well
    awaitEnd();
  }

  /** SIGKILL, if it is running. */
  void kill() throws InterruptedException {
    if (isRunning()) {
      process.toHandle().destroyForcibly();
      awaitEnd();
    }
  }

  private void awaitEnd() throws InterruptedException {
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("broker ended").isTrue();
  }
}
