package io.spillway.internal.compress;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** File operations of which a test sees each, and in whose place it can fail or die. */
public final class FaultyFiles extends ArchiveFiles {
  /** Called before each operation that changes the disk. */
  public interface Hook {
    void before(String operation, Path file) throws IOException;
  }

  private volatile Hook hook = (operation, file) -> {};

  public FaultyFiles hook(Hook next) {
    hook = next;
    return this;
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    hook.before("rename", to);
    super.rename(from, to);
  }

  @Override
  public void delete(Path file) throws IOException {
    if (exists(file)) {
      hook.before("delete", file);
    }
    super.delete(file);
  }

  @Override
  FileChannel create(Path part) throws IOException {
    hook.before("create", part);
    return super.create(part);
  }

  @Override
  void write(FileChannel file, ByteBuffer bytes) throws IOException {
    hook.before("write", Path.of(""));
    super.write(file, bytes);
  }

  @Override
  void force(FileChannel file) throws IOException {
    hook.before("force", Path.of(""));
    super.force(file);
  }

  @Override
  void forceDirectory(Path directory) throws IOException {
    hook.before("forceDirectory", directory);
    super.forceDirectory(directory);
  }

  @Override
  void copyAttributes(Path from, Path to) throws IOException {
    hook.before("copyAttributes", to);
    super.copyAttributes(from, to);
  }
}
