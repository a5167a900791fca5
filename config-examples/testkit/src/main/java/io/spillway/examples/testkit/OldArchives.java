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
 * Two archives of earlier days, planted before a rollover: the last that a retention setting keeps,
 * and the first that it does not. A setting that is missing, or has another value, fails.
 */
public final class OldArchives {
  private static final long MARGIN = 16 << 20; // for what is logged meanwhile

  private final Path kept;
  private final Path surplus;

  private OldArchives(Path kept, Path surplus) {
    this.kept = kept;
    this.surplus = surplus;
  }

  /**
   * For {@code maxHistory}, of days.
   *
   * @param directory made if it is not there
   * @param name of an archive, a {@link DateTimeFormatter} pattern: {@code
   *     'app.'yyyy-MM-dd'.0.log.gz'}
   */
  public static OldArchives beyondHistory(Path directory, String name, int maxHistory)
      throws IOException {
    return new OldArchives(
        plant(directory, name, maxHistory, 0), plant(directory, name, maxHistory + 1, 0));
  }

  /** For {@code totalSizeCap}, to 16 MB; they have no content and take no disk. */
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

  /** After the rollover. */
  public void awaitSurplusGone() {
    await(surplus + " deleted")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .until(() -> Files.notExists(surplus));
  }

  /** The other one has to be there still; it is taken away, as it cannot be read. */
  public void removeKept() throws IOException {
    assertThat(kept).exists();
    Files.delete(kept);
  }
}
