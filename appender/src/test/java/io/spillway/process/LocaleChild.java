package io.spillway.process;

import io.spillway.internal.disk.StorageFailures;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Meets a full disk and the limit of a file, is told of a quota, then opens files until there are
 * no more descriptors.
 */
public final class LocaleChild {
  private LocaleChild() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    String[] told = new String[7];
    try (RandomAccessFile file = new RandomAccessFile(directory.resolve("f").toFile(), "rw")) {
      file.write(new byte[1 << 20]);
    } catch (IOException e) {
      told[0] = "full " + told(e);
      told[1] = "text " + e.getMessage();
    }
    try (RandomAccessFile file = new RandomAccessFile(arguments[1], "rw")) {
      file.write(new byte[2 << 20]);
    } catch (IOException e) {
      told[4] = "limit " + told(e);
      told[5] = "text " + e.getMessage();
    }
    told[6] = "quota " + told(new IOException(arguments[2]));
    List<Closeable> open = new ArrayList<>();
    try {
      while (true) {
        open.add(new FileInputStream("/dev/zero"));
      }
    } catch (IOException e) {
      told[2] = "descriptors " + told(e);
      told[3] = "text " + e.getMessage();
    }
    for (Closeable each : open) {
      each.close();
    }
    for (String line : told) {
      System.out.println(line);
    }
  }

  private static String told(IOException failure) {
    return StorageFailures.isDiskFull(failure) + " " + StorageFailures.remedy(failure);
  }
}
