package io.spillway.examples.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;

/**
 * Two archives of earlier days, created before a rollover: the oldest one that a retention setting
 * keeps, and the newest one that it deletes. With a setting that is missing or has another value, a
 * test that uses them fails.
 */
public final class OldArchives {
  private static final long MARGIN = 16 << 20; // for what the test logs

  private final Path kept;
  private final Path surplus;

  private OldArchives(Path kept, Path surplus) {
    this.kept = kept;
    this.surplus = surplus;
  }

  /**
   * Creates the archives for {@code maxHistory} in days.
   *
   * @param directory their directory, created if missing
   * @param name name of an archive, as a {@link DateTimeFormatter} pattern such as {@code
   *     'app.'yyyy-MM-dd'.0.log.gz'}
   */
  public static OldArchives beyondHistory(Path directory, String name, int maxHistory)
      throws IOException {
    return new OldArchives(
        plant(directory, name, maxHistory, 0), plant(directory, name, maxHistory + 1, 0));
  }

  /**
   * Creates the archives for {@code totalSizeCap}, exact to 16 MB; they are sparse files that take
   * no disk space.
   */
  public static OldArchives beyondCap(Path directory, String name, long bytes) throws IOException {
    return new OldArchives(
        plant(directory, name, 2, bytes - MARGIN), plant(directory, name, 3, 2 * MARGIN));
  }

  private static Path plant(Path directory, String name, int daysAgo, long length)
      throws IOException {
    LocalDate date = LocalDate.now().minusDays(daysAgo);
    return SparseFile.create(
        directory.resolve(DateTimeFormatter.ofPattern(name).format(date)), length);
  }

  /** Waits until the rollover has deleted the surplus archive. */
  public void awaitSurplusGone() {
    await(surplus + " deleted")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .until(() -> Files.notExists(surplus));
  }

  /** Asserts that the other archive still exists, and deletes it, as it is no readable archive. */
  public void removeKept() throws IOException {
    assertThat(kept).exists();
    Files.delete(kept);
  }
}
