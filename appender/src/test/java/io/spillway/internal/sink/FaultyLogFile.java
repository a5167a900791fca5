package io.spillway.internal.sink;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/** A log file whose operations fail where a test says so; a write that fails has written half. */
class FaultyLogFile extends LogFile {
  final List<String> operations = new ArrayList<>();
  IntPredicate fails = number -> false; // by number of the operation, from 0 on
  boolean failed;

  FaultyLogFile(boolean synced) {
    super(synced);
  }

  void heal() {
    fails = number -> false;
  }

  void fail(String... kinds) {
    fails = number -> List.of(kinds).contains(operations.get(number));
  }

  long count(String operation) {
    return operations.stream().filter(operation::equals).count();
  }

  private boolean fails(String operation) {
    operations.add(operation);
    boolean now = fails.test(operations.size() - 1);
    failed |= now;
    return now;
  }

  private void step(String operation) throws IOException {
    if (fails(operation)) {
      throw noRoom();
    }
  }

  private static IOException noRoom() {
    return new IOException("No space left on device");
  }

  @Override
  FileOutputStream openToAppend() throws IOException {
    step("open");
    return new FileOutputStream(file(), true) {
      private boolean closing; // its channel closes it once more, within the call

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        boolean half = fails("write");
        super.write(bytes, offset, half ? length / 2 : length);
        if (half) {
          throw noRoom();
        }
      }

      @Override
      public void close() throws IOException {
        boolean first = !closing;
        closing = true;
        super.close();
        if (first) {
          step("close");
        }
      }
    };
  }

  @Override
  BasicFileAttributes stat() throws IOException {
    step("stat");
    return super.stat();
  }

  @Override
  void truncate(FileOutputStream open, long size) throws IOException {
    step("truncate");
    super.truncate(open, size);
  }

  @Override
  void sync(FileOutputStream open) throws IOException {
    step("sync");
    super.sync(open);
  }

  @Override
  void syncDirectory(Path directory) throws IOException {
    step("syncDirectory");
    super.syncDirectory(directory);
  }

  @Override
  RandomAccessFile openToRead() throws IOException {
    step("read");
    return super.openToRead();
  }
}
