package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Promise 23: files of the spill are 0600 and its directories 0700, links are not followed, and a
 * temp directory is never used.
 */
class P23FileModesTest extends Promise {
  private static String mode(Path path) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Probe spilling(Kind kind) {
    Probe probe = new Probe(kind, directory);
    probe.settings.setSpillMode("ALWAYS");
    probe.gate.shut();
    return probe;
  }

  private static void spill(Probe probe) {
    probe.log("0", 0, 5_000);
    Probe.await("spilled", () -> probe.metrics().getRingUsed() == 0);
  }

  /** By default the spill is beside the log. */
  @Both
  void everythingIsForItsOwnerOnlyAndNotInATempDirectory(Kind kind) throws IOException {
    Path temp = Path.of(System.getProperty("java.io.tmpdir"));
    Path spill = directory.resolve("app.log.spill");
    try (Probe probe = spilling(kind)) {
      probe.settings.setSpillDirectory(null);
      Set<String> before = names(temp);
      probe.start();
      spill(probe);
      Set<String> after = names(temp);
      after.removeAll(before);
      assertThat(after).noneMatch(name -> name.contains("spill"));
      List<Path> files = Probe.filesBelow(spill);
      assertThat(files).hasSizeGreaterThanOrEqualTo(2).allMatch(it -> mode(it).equals("rw-------"));
      assertThat(mode(spill)).isEqualTo("rwx------");
    }
  }

  /** Somebody's link in place of the directory: nothing is written where it leads. */
  @Both
  void aLinkInPlaceOfTheDirectoryIsNotFollowed(Kind kind) throws IOException {
    Path target = Files.createDirectory(directory.resolve("target"));
    Files.createSymbolicLink(directory.resolve("spill"), target);
    try (Probe probe = spilling(kind)) {
      probe.tryStart();
      probe.log("0", 0, 5_000);
      probe.awaitStatus(1, probe.spill().toString());
      probe.gate.open();
      if (probe.appender().isStarted()) {
        probe.awaitDelivered();
      }
      assertThat(target.toFile().list()).isEmpty();
    }
  }

  /** A link in place of a file, with any name that a run has used: its target stays as it was. */
  @Both
  void aLinkInPlaceOfAFileIsNotFollowed(Kind kind) throws IOException {
    Set<String> names;
    try (Probe probe = spilling(kind).start()) {
      spill(probe);
      names = names(probe.spill());
      probe.gate.open();
      probe.awaitDelivered();
    }
    Path target = Files.writeString(directory.resolve("precious"), "precious");
    Path spill = Files.createDirectories(directory.resolve("spill"));
    for (String name : names) {
      Files.deleteIfExists(spill.resolve(name));
      Files.createSymbolicLink(spill.resolve(name), target);
    }
    try (Probe probe = spilling(kind)) {
      probe.tryStart();
      probe.log("1", 0, 5_000);
      probe.gate.open();
      if (probe.appender().isStarted()) {
        probe.awaitDelivered();
        assertThat(probe.lines()).hasSize(10_000);
      }
    }
    assertThat(target).hasContent("precious");
    assertThat(mode(target)).isEqualTo("rw-r--r--");
  }

  private static Set<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }
  }
}
