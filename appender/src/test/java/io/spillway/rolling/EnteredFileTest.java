package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.disk.Disk;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.Compressor;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Without {@code <file>} the next file is there, empty, a moment before it is the active one. Who
 * looks at the directory in that moment must not take it for a rolled file.
 */
@Timeout(120)
class EnteredFileTest {
  @TempDir Path directory;

  @AfterEach
  void awaitEnd() {
    Compressor.awaitEnd();
  }

  /** The compressor's first look begins when the next file is there, and ends before it is used. */
  private static final class LookedAtBetween extends Disk {
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch looked = new CountDownLatch(2); // of a walk, and what comes next

    @Override
    public DirectoryStream<Path> list(Path directory) throws IOException {
      if (Thread.currentThread().getName().equals("spillway-compressor")) {
        await(entered);
        looked.countDown();
      }
      return super.list(directory);
    }

    @Override
    public void createEmpty(Path path) throws IOException {
      super.createEmpty(path);
      entered.countDown();
      await(looked);
    }

    private static void await(CountDownLatch latch) {
      try {
        assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void shouldNotWaitForTheArchiveOfAFileThatIsJustBegun() {
    SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
    policy.files = new LookedAtBetween();
    policy.setFileNamePattern(directory.resolve("app-%d.%i.log.gz").toString());
    policy.setMaxFileSize("5");
    try (RollingRig rig = new RollingRig(Host.STOCK, null).with(policy, policy).start()) {
      rig.log("long enough");
      rig.log("next");
      rig.awaitArchived();
      assertThat(policy.getArchiveMetrics().archived()).isEqualTo(1);
      assertThat(policy.getArchiveMetrics().backlogFiles()).isZero();
      assertThat(rig.statuses()).noneMatch(status -> status.contains("1 rolled files (0 bytes)"));
    }
  }
}
