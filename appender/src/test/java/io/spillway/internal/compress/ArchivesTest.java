package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.metrics.Reports;
import io.spillway.testkit.Gate;
import io.spillway.testkit.InMemory;
import io.spillway.testkit.Probe;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archives of a policy, whose disk or format fails. */
@Timeout(60)
class ArchivesTest {
  private static final Duration SOON = Duration.ofSeconds(5);

  @TempDir(factory = InMemory.class)
  Path directory;

  private final LoggerContext context = new LoggerContext();
  private final Archives.Settings settings = new Archives.Settings();
  private Archives archives;

  @AfterEach
  void stop() {
    archives.stop();
    io.spillway.testkit.Compressor.awaitEnd();
  }

  private void create() {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(context);
    archives = new Archives(settings, () -> {}, new Reports(origin));
  }

  /** As on a dead NFS or a frozen disk, where the thread has the lock. */
  @Test
  void shouldAnswerWhileARenameHangs() throws Exception {
    Gate disk = new Gate();
    disk.shut();
    settings.files = new FaultyFiles().hook((operation, file) -> disk.pass());
    create();
    Path active = Files.writeString(directory.resolve("app.log"), "content");
    Thread hanging = new Thread(() -> take(active), "hanging");
    hanging.start();
    try {
      Probe.await("held", disk::isHolding);
      assertTimeoutPreemptively(SOON, () -> archives.metrics());
      assertTimeoutPreemptively(SOON, () -> archives.awaitDone(20_000_000));
    } finally {
      disk.open();
      hanging.join();
    }
  }

  private void take(Path active) {
    synchronized (archives) {
      try {
        archives.take(active, directory.resolve("app.1.log"));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** {@link io.spillway.testkit.NothingLeft} finds a rolled file that stays open. */
  @Test
  void shouldCountAFormatThatThrowsWhenItIsClosed() throws Exception {
    settings.format =
        new ReversingFormat() {
          @Override
          public OutputStream compressing(OutputStream out, String entryName, int level) {
            return new FilterOutputStream(out) {
              @Override
              public void close() {
                throw new IllegalStateException("of the format");
              }
            };
          }
        };
    create();
    archives.start();
    synchronized (archives) {
      archives.add(Files.writeString(directory.resolve("app.1.log"), "content"));
    }
    Probe.await("failed", () -> archives.metrics().failures() > 0);
    Reports.flush(context);
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .extracting(Status::getMessage)
        .anyMatch(message -> message.startsWith("Cannot archive ["))
        .noneMatch(message -> message.startsWith("Cannot find "));
  }
}
