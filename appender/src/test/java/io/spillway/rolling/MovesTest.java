package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Renames never replace, and directories are made where they are missing. */
@Tag("shared")
class MovesTest {
  @TempDir Path directory;
  private final Moves moves = new Moves();
  private Path from;
  private Path to;

  @BeforeEach
  void prepare() throws IOException {
    from = Files.writeString(directory.resolve("from"), "content");
    to = directory.resolve("to");
  }

  @Test
  void shouldNotReplaceAFileALinkOrADirectory() throws IOException {
    for (Path taken :
        new Path[] {
          Files.createFile(directory.resolve("file")),
          Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("nowhere")),
          Files.createDirectory(directory.resolve("directory")),
        }) {
      assertThatThrownBy(() -> moves.move(from, taken))
          .isInstanceOf(FileAlreadyExistsException.class);
      assertThat(from).hasContent("content");
    }
  }

  @Test
  void shouldCreateMissingDirectoriesAlsoBelowALink() throws IOException {
    Path real = Files.createDirectory(directory.resolve("real"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), real);
    moves.move(from, link.resolve("a/b/to"));
    assertThat(real.resolve("a/b/to")).hasContent("content");
    moves.move(real.resolve("a/b/to"), link.resolve("to"));
    assertThat(real.resolve("to")).hasContent("content");
  }

  @Test
  void shouldFailWithoutASource() throws IOException {
    Files.delete(from);
    assertThatThrownBy(() -> moves.move(from, to)).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void shouldRemoveEmptyDirectoriesOnly() throws IOException {
    Path inner = Files.createDirectories(directory.resolve("outer/inner"));
    assertThat(moves.removeIfEmpty(inner.getParent())).isFalse();
    assertThat(moves.removeIfEmpty(inner)).isTrue();
    assertThat(moves.removeIfEmpty(inner)).isFalse();
    assertThat(moves.removeIfEmpty(inner.getParent())).isTrue();
  }

  @Test
  void shouldListNothingWhereThereIsNoDirectory() throws IOException {
    moves.list(directory.resolve("nowhere"), file -> assertThat(file).isNull());
    moves.list(from, file -> assertThat(file).isNull());
  }
}
