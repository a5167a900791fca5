package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.compress.ArchiveNames.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPInputStream;

/**
 * A directory with one of each that crashes and stock Logback leave, and the contents that must
 * come out of it, each in one archive.
 */
final class Corpus {
  private static final int SIZE = 20_000;
  private static final int LARGE = CompressionWorker.CHUNK_BYTES + SIZE;
  private static final Map<Integer, byte[]> SAMPLES = new ConcurrentHashMap<>();

  private final Path directory;
  private final ArchiveNames names;
  private final Set<String> contents = new HashSet<>();
  private final List<Path> planted = new ArrayList<>();
  private int seed;

  Corpus(Path directory) {
    this.directory = directory;
    names = new ArchiveNames(directory, directory, DirectoryPolicy.STEM, ".gz", true);
  }

  static Corpus plant(Path directory) throws IOException {
    Corpus corpus = new Corpus(directory);
    Files.createDirectories(directory);
    corpus.plantAll();
    return corpus;
  }

  private void plantAll() throws IOException {
    raw("app.1.log", content());
    byte[] second = content();
    raw("app.2.log", second);
    damaged("app.2.log.gz", Samples.gzip(second), 5_000);
    byte[] third = content();
    raw("app.3.log", third);
    Files.write(directory.resolve("app.3.log.gz"), Samples.gzip(third));
    raw("app.4.log", content());
    Files.write(directory.resolve("app.4.log.gz"), Samples.gzip(content()));
    byte[] fifth = content();
    raw("app.5.log123456789012.tmp", fifth);
    damaged("app.5.log.gz", Samples.gzip(fifth), 12);
    damaged("app.6.log.gz.99.part", Samples.gzip(second), 1_000);
    Files.write(directory.resolve("app.6.log.98.delete"), second);
    raw("app.7.log", content());
    raw("app.7.log7771234567890.tmp", content());
    Path log = directory.resolve("app.log");
    for (int sequence = 8; sequence < 10; sequence++) {
      Files.write(RolledName.of(log, Instant.EPOCH, sequence).path(), content());
    }
  }

  private void raw(String name, byte[] content) throws IOException {
    Files.write(directory.resolve(name), content);
  }

  private void damaged(String name, byte[] archive, int length) throws IOException {
    planted.add(Files.write(directory.resolve(name), Arrays.copyOf(archive, length)));
  }

  /** One more content that must come out. */
  byte[] content() {
    byte[] content =
        SAMPLES.computeIfAbsent(seed, n -> Samples.log(1_000 + n, n == 0 ? LARGE : SIZE));
    seed++;
    contents.add(Samples.sha256(content));
    return content;
  }

  int size() {
    return contents.size();
  }

  /** While nothing moves: no content is missing, and no archive but the planted is damaged. */
  void assertNothingLost() {
    Set<String> found = new HashSet<>();
    for (Path file : Samples.below(directory)) {
      Kind kind = names.kindOf(file);
      if (kind == Kind.RAW || kind == Kind.STOCK_TMP || file.toString().endsWith(".rolled")) {
        found.add(Samples.sha256(bytes(file)));
      } else if (kind == Kind.ARCHIVE && !planted.contains(file)) {
        found.add(Samples.sha256(unzipped(file)));
      } else if (kind == Kind.ARCHIVE) {
        addIfWhole(file, found);
      }
    }
    assertThat(found).as("contents in rolled files and archives").containsAll(contents);
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] unzipped(Path archive) {
    try (var in = new GZIPInputStream(new ByteArrayInputStream(bytes(archive)))) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("a damaged archive: " + archive, e);
    }
  }

  private static void addIfWhole(Path archive, Set<String> found) {
    try {
      found.add(Samples.sha256(unzipped(archive)));
    } catch (UncheckedIOException damaged) {
      assertThat(damaged.getCause()).isInstanceOf(IOException.class); // as it was planted
    }
  }

  /** In the end: each content is whole in exactly one archive, and nothing else is there. */
  void assertArchivedOnce() {
    List<String> found = new ArrayList<>();
    Samples.assertWhole(Samples.below(directory));
    for (Path file : Samples.below(directory)) {
      assertThat(names.kindOf(file)).as(file.toString()).isEqualTo(Kind.ARCHIVE);
      found.add(Samples.sha256(unzipped(file)));
    }
    assertThat(found).as("contents of archives").containsExactlyInAnyOrderElementsOf(contents);
  }
}
