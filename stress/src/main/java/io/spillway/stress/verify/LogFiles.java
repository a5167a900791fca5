package io.spillway.stress.verify;

import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;

/** The log files and archives of a trial, in the order in which their lines were written. */
final class LogFiles {

  private static final String UNFINISHED = ".tmp"; // a rolled file that Logback has yet to compress
  private static final int BUFFER_BYTES = 1 << 16;

  private LogFiles() {}

  /**
   * Returns the files of one appender in all directories of its pattern: archives and rolled files
   * by the time of their last change, then the active file, if it has a name of its own.
   */
  static List<Path> of(Path root, Path activeFile, String fileNamePattern) throws IOException {
    Map<Path, FileTime> rolled = new TreeMap<>();
    if (fileNamePattern != null) {
      Pattern names = FileNames.of(fileNamePattern);
      Pattern stems = FileNames.stemsOf(fileNamePattern);
      for (Path file : all(root)) {
        String name = file.toString();
        boolean unfinished =
            name.endsWith(UNFINISHED)
                && (stems.matcher(name).lookingAt() || name.startsWith(activeFile + ""));
        if (!file.equals(activeFile) && (unfinished || names.matcher(name).matches())) {
          rolled.put(file, Files.getLastModifiedTime(file));
        }
      }
    }
    return Stream.concat(
            rolled.entrySet().stream().sorted(Map.Entry.comparingByValue()).map(Map.Entry::getKey),
            Stream.ofNullable(activeFile).filter(Files::exists))
        .toList();
  }

  /** Returns all other files that a trial left, which are listed but not read. */
  static List<Path> others(Path root, List<Path> read) throws IOException {
    return all(root).stream().filter(file -> !read.contains(file)).sorted().toList();
  }

  private static List<Path> all(Path root) throws IOException {
    try (Stream<Path> found = Files.walk(root)) {
      return found.filter(Files::isRegularFile).toList();
    }
  }

  /** Opens the content of a file by its suffix, which that of an unfinished file may follow. */
  static InputStream open(Path file) throws IOException {
    InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
    try {
      return unpacked(in, file.getFileName().toString());
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  private static InputStream unpacked(InputStream in, String name) throws IOException {
    if (name.contains(".gz")) {
      return new GZIPInputStream(in, BUFFER_BYTES);
    }
    if (name.contains(".zst")) {
      in.mark(1);
      if (in.read() < 0) {
        throw new EOFException("no frame in it"); // the library takes it as empty
      }
      in.reset();
      return new ZstdInputStream(in);
    }
    if (name.contains(".zip")) {
      ZipInputStream zip = new ZipInputStream(in);
      if (zip.getNextEntry() == null) {
        throw new ZipException("no entry in it");
      }
      return zip;
    }
    return in;
  }
}
