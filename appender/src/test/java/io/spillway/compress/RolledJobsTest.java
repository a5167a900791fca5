package io.spillway.compress;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.metrics.Reports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the next rolled file is looked for, by a clock of the test's. */
@Tag("shared")
class RolledJobsTest {
  private static final long PAUSE = TimeUnit.SECONDS.toNanos(5);

  @TempDir Path directory;

  private final byte[] chunk = new byte[1024];
  private final Reports reports = new Reports(new ContextAwareBase());
  private long clock;
  private Backlog backlog;
  private DirectoryPolicy policy;
  private RolledJobs jobs;
  private Path raw;

  @BeforeEach
  void putOffOneFile() throws IOException {
    ArchiveFormat format = new GzipFormat();
    ArchiveNames names =
        new ArchiveNames(directory, directory, DirectoryPolicy.STEM, format.suffix());
    policy = new DirectoryPolicy(directory, names);
    backlog = new Backlog(() -> clock);
    Parts parts =
        new Parts(
            new RealArchiveFiles(),
            policy,
            names,
            new ArchiveSettings(format, format.defaultLevel(), 1, Duration.ZERO),
            reports,
            new Tally(),
            backlog,
            new TrackedPaths(),
            rubbish -> {},
            Set.of(),
            () -> false);
    jobs = new RolledJobs(parts, new JobOpener(parts, new Publisher(parts)), taken -> false);
    raw = Files.writeString(directory.resolve("app.1.log"), "a line\n");
    backlog.add(raw, PAUSE);
    jobs.look();
  }

  @AfterEach
  void end() {
    jobs.abandon();
  }

  @Test
  void shouldRestUntilTheFileIsDue() {
    assertThat(jobs.work(chunk)).isFalse();
    assertThat(jobs.restNanos()).isPositive().isLessThanOrEqualTo(PAUSE);
    assertThat(jobs.isBusy()).isFalse();
  }

  @Test
  void shouldLookAgainAtOnceForAFileThatBecameDueDuringTheLook() {
    policy.looked = () -> clock += PAUSE;
    assertThat(jobs.work(chunk)).as("not due when it was asked for").isFalse();
    policy.looked = () -> {};
    assertThat(jobs.restNanos()).isZero();
    assertThat(jobs.work(chunk)).isTrue();
    assertThat(jobs.isBusy()).isTrue();
  }
}
