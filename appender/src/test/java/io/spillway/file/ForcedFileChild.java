package io.spillway.file;

import io.spillway.internal.sink.LogFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes two lines and forces each; told to, somebody else gives the file another name in between.
 */
public final class ForcedFileChild {
  private ForcedFileChild() {}

  public static void main(String[] arguments) throws IOException {
    Path path = Path.of(arguments[0]);
    LogFile file = new LogFile();
    file.forcedOnClose(true);
    file.open(path.toFile());
    write(file, "one\n");
    force(file);
    if (Boolean.parseBoolean(arguments[1])) {
      Files.move(path, path.resolveSibling("moved.log"));
    }
    write(file, "two\n");
    force(file);
    force(file);
  }

  static void write(LogFile file, String line) throws IOException {
    file.write(line.getBytes(StandardCharsets.UTF_8));
  }

  static void force(LogFile file) {
    try {
      file.force();
      System.out.println("forced");
    } catch (IOException e) {
      System.out.println("failed");
    }
  }
}
