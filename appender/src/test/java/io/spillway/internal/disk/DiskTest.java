package io.spillway.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.testkit.Shell;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the file system itself would do differently. */
class DiskTest {
  @TempDir Path directory;

  private final Disk files = new Disk();

  @Test
  void shouldNeverRenameOntoAnything() throws IOException {
    Path from = Files.write(directory.resolve("from"), new byte[] {1});
    Path file = Files.write(directory.resolve("file"), new byte[] {2});
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("nowhere"));
    for (Path taken : new Path[] {file, link}) {
      assertThatThrownBy(() -> files.rename(from, taken))
          .isInstanceOf(FileAlreadyExistsException.class);
    }
    assertThat(file).hasBinaryContent(new byte[] {2});
    assertThat(from).hasBinaryContent(new byte[] {1});
    files.rename(from, directory.resolve("new/place"));
    assertThat(directory.resolve("new/place")).hasBinaryContent(new byte[] {1});
  }

  /** As behind a file server that is down: a rename a moment later would replace what is there. */
  @Test
  void shouldNotTakeWhatCannotBeLookedAtForAFreeName() throws IOException {
    Path from = Files.write(directory.resolve("from"), new byte[] {1});
    Path away = directory.resolve("away");
    Files.createSymbolicLink(away, away);
    for (Path path : new Path[] {away.resolve("file"), away.resolve("below/file")}) {
      assertThatThrownBy(() -> files.exists(path)).isInstanceOf(FileSystemException.class);
      assertThatThrownBy(() -> files.rename(from, path)).isInstanceOf(FileSystemException.class);
    }
    assertThat(files.exists(away)).isTrue();
    assertThat(files.exists(from.resolve("file"))).as("below a file").isFalse();
    Path pipe = directory.resolve("pipe");
    Shell.attempt("mkfifo", pipe);
    assertThat(files.exists(pipe.resolve("file"))).as("below a pipe").isFalse();
    assertThat(files.exists(directory.resolve("free/file"))).isFalse();
  }

  /** A mount point whose server is away is there for mkdir, and cannot be looked at. */
  @Test
  void shouldSayWhyTheDirectoryOfAFileIsAway() throws IOException {
    Path away = directory.resolve("away");
    Files.createSymbolicLink(away, away);
    assertThatThrownBy(() -> files.createParents(away.resolve("file")))
        .isInstanceOfSatisfying(
            FileSystemException.class, e -> assertThat(e.getReason()).isNotNull());
    Path plain = Files.createFile(directory.resolve("plain"));
    Path dangling = Files.createSymbolicLink(directory.resolve("link"), away.resolveSibling("no"));
    for (Path taken : new Path[] {plain, dangling}) {
      assertThatThrownBy(() -> files.createParents(taken.resolve("file")))
          .isInstanceOf(FileAlreadyExistsException.class);
    }
  }

  /** As vfat, and some network file systems. */
  @Test
  void shouldGiveTheTimeOfAnotherFileThoughItsPermissionsCannotBeHad() throws IOException {
    Path from = Files.write(directory.resolve("from"), new byte[] {1});
    Path to = Files.write(directory.resolve("to"), new byte[] {1});
    Files.setLastModifiedTime(from, FileTime.fromMillis(1_000));
    Disk.State state = files.state(from);
    Set<PosixFilePermission> none = new HashSet<>();
    none.add(null);
    Disk.State unusable =
        new Disk.State(true, false, state.key(), state.bytes(), state.modified(), none);
    assertThatThrownBy(() -> files.copyAttributes(to, unusable)).isNotNull();
    assertThat(Files.getLastModifiedTime(to)).isEqualTo(FileTime.fromMillis(1_000));
  }

  @Test
  void shouldCreateNewFilesOnly() throws IOException {
    Path taken = Files.write(directory.resolve("taken"), new byte[] {2});
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("nowhere"));
    assertThatThrownBy(() -> files.create(taken)).isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> files.create(link)).isInstanceOf(FileAlreadyExistsException.class);
    assertThat(directory.resolve("nowhere")).doesNotExist();
  }

  /** The name is opened once more after the file was created, and may be another's by then. */
  @Test
  void shouldLeaveAloneWhatTookTheNameOfAFileThatItCreates() {
    Path path = directory.resolve("contested");
    Disk raced =
        new Disk() {
          @Override
          public DiskFile openForWriting(Path name) throws IOException {
            Files.delete(name);
            Files.writeString(name, "somebody's");
            return super.openForWriting(name);
          }
        };
    assertThatThrownBy(() -> raced.create(path))
        .isInstanceOf(Disk.ObstructedException.class)
        .hasMessageContaining("was replaced while it was created");
    assertThat(path).hasContent("somebody's");
  }

  private interface Opening {
    Closeable of(Disk files, Path path) throws IOException;
  }

  /** The name is looked at before it is opened, and may be another's by then. */
  @Test
  void shouldFollowNoLinkThatTakesTheNameOfAFileThatIsBeingOpened() throws IOException {
    Path path = directory.resolve("contested");
    Path victim = Files.writeString(directory.resolve("victim"), "secret");
    Disk raced =
        new Disk() {
          @Override
          public State state(Path name) throws IOException {
            State state = super.state(name);
            Files.deleteIfExists(path);
            Files.createSymbolicLink(path, victim);
            return state;
          }
        };
    List<Opening> all = List.of(Disk::openForReading, Disk::openForWriting, Disk::newInputStream);
    for (Opening opening : all) {
      Files.deleteIfExists(path);
      Files.writeString(path, "ours..");
      assertThatThrownBy(() -> opening.of(raced, path)).isInstanceOf(IOException.class);
    }
    assertThat(victim).hasContent("secret");
  }

  /** As when both names are exchanged again and again: before and after, all is as it should be. */
  @Test
  void shouldReadNothingThroughALinkThatIsThereForAMoment() throws IOException {
    Path path = Files.writeString(directory.resolve("contested"), "ours");
    Path away = directory.resolve("away");
    Path victim = Files.writeString(directory.resolve("victim"), "secret");
    boolean[] looked = {false};
    Disk raced =
        new Disk() {
          @Override
          public State state(Path name) throws IOException {
            if (looked[0]) {
              Files.move(away, path, StandardCopyOption.REPLACE_EXISTING);
            }
            State state = super.state(name);
            if (!looked[0]) {
              Files.move(path, away);
              Files.createSymbolicLink(path, victim);
              looked[0] = true;
            }
            return state;
          }
        };
    assertThatThrownBy(() -> raced.newInputStream(path)).isInstanceOf(IOException.class);
  }

  @Test
  void shouldReadOnDespiteAnInterrupt() throws IOException {
    Path path = Files.writeString(directory.resolve("file"), "ours");
    try (InputStream in = files.newInputStream(path)) {
      Thread.currentThread().interrupt();
      assertThat(in.readAllBytes()).asString().isEqualTo("ours");
      assertThat(Thread.interrupted()).as("kept for whom it concerns").isTrue();
    }
  }

  @Test
  void shouldNotWriteIntoAFileThatHasAnotherNameElsewhere() throws IOException {
    Path victim = Files.writeString(directory.resolve("victim"), "untouched");
    Path planted = Files.createLink(directory.resolve("planted"), victim);
    assertThatThrownBy(() -> files.openForWriting(planted))
        .isInstanceOf(Disk.ObstructedException.class)
        .hasMessageContaining("second hard link");
    assertThat(victim).hasContent("untouched");
  }

  @Test
  void shouldOpenRegularFilesOnly() throws IOException {
    Path target = Files.write(directory.resolve("target"), new byte[] {2});
    Path link = Files.createSymbolicLink(directory.resolve("link"), target);
    assertThatThrownBy(() -> files.openForReading(link)).isInstanceOf(FileSystemException.class);
    assertThatThrownBy(() -> files.openForReading(directory))
        .isInstanceOf(FileSystemException.class);
    assertThatThrownBy(() -> files.openForReading(directory.resolve("missing")))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(files.state(link).regular()).isFalse();
    assertThat(files.state(directory).directory()).isTrue();
    assertThat(files.state(directory.resolve("missing"))).isNull();
  }

  @Test
  void shouldForceADirectoryDespiteAnInterrupt() throws IOException {
    Thread.currentThread().interrupt();
    files.syncDirectory(directory);
    assertThat(Thread.interrupted()).as("kept for whom it concerns").isTrue();
  }

  /** As vboxsf, 9p and others; /proc is another, and always at hand. */
  @Test
  void shouldDoWithoutTheForceWhereADirectoryCannotBeForced() throws IOException {
    Path without = Path.of("/proc");
    Assumptions.assumeTrue(Files.isDirectory(without.resolve("self")));
    assertThat(files.syncDirectory(without)).isFalse();
    assertThat(files.syncDirectory(directory)).isTrue();
  }

  /** ".." leads out of where a directory really is. */
  @Test
  void shouldKnowAFileThroughALinkBelowALink() throws IOException {
    Path really = Files.createDirectories(directory.resolve("data/logs/app"));
    Path shared = Files.createDirectory(directory.resolve("data/logs/shared")).resolve("app.log");
    Files.createFile(shared);
    Files.createSymbolicLink(directory.resolve("app"), really);
    Files.createSymbolicLink(really.resolve("app.log"), Path.of("../shared/app.log"));
    assertThat(FilePaths.canonical(directory.resolve("app/app.log")))
        .isEqualTo(FilePaths.canonical(shared));
  }
}
