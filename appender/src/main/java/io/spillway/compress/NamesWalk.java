package io.spillway.compress;

import io.spillway.compress.ArchiveNames.Kind;
import io.spillway.compress.ArchiveNames.Visitor;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** One pass over a policy's directories. Asks the disk only about names that match. */
final class NamesWalk {
  private final ArchiveFiles files;
  private final ArchiveNames names;
  private final Visitor visitor;
  private IOException failure;

  NamesWalk(ArchiveFiles files, ArchiveNames names, Visitor visitor) {
    this.files = files;
    this.names = names;
    this.visitor = visitor;
  }

  /** Shows what is below a root; false if the visitor has had enough. */
  boolean enter(Path root, boolean staging) throws IOException {
    return descend(root, "", 0, staging);
  }

  /** Throws what kept a directory from being listed. */
  void finish() throws IOException {
    if (failure != null) {
      throw failure;
    }
  }

  private boolean descend(Path directory, String prefix, int level, boolean staging)
      throws IOException {
    DirectoryStream<Path> entries;
    try {
      entries = files.list(directory);
    } catch (NoSuchFileException | NotDirectoryException gone) {
      return true;
    } catch (IOException e) {
      remember(e);
      return true;
    }
    try (entries) {
      for (Path entry : entries) {
        if (!take(entry, prefix + entry.getFileName(), level, staging)) {
          return false;
        }
      }
    } catch (DirectoryIteratorException e) {
      remember(e.getCause());
    }
    return true;
  }

  private boolean take(Path entry, String name, int level, boolean staging) throws IOException {
    if (level < names.depth()) {
      if (!names.mayHold(name)) {
        return true;
      }
      FileState state = files.state(entry);
      return state == null || !state.directory() || descend(entry, name + "/", level + 1, staging);
    }
    Kind kind = names.kindOf(name, staging);
    if (kind == Kind.FOREIGN) {
      return true;
    }
    FileState state = files.state(entry);
    return state == null || !state.regular() || visitor.visit(entry, kind, state.bytes());
  }

  private void remember(IOException e) {
    if (failure == null) {
      failure = e;
    } else {
      failure.addSuppressed(e);
    }
  }
}
