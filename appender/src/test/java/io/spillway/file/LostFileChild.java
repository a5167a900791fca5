package io.spillway.file;

import io.spillway.internal.sink.LogFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A line whose sync fails is cut off, as by a disk that comes back without it. */
public final class LostFileChild {
  private LostFileChild() {}

  public static void main(String[] arguments) throws IOException {
    Path path = Path.of(arguments[0]);
    LogFile file = new LogFile();
    file.forcedOnClose(true);
    file.open(path.toFile());
    file.write("one\n".getBytes(StandardCharsets.UTF_8));
    force(file);
    Files.writeString(path, "o");
    force(file);
    file.write("two\n".getBytes(StandardCharsets.UTF_8));
    force(file);
    file.forcedOnClose(true); // a restart
    force(file);
  }

  private static void force(LogFile file) {
    try {
      file.force();
      System.out.println("forced");
    } catch (IOException e) {
      System.out.println("failed");
    }
    System.out.println("may move: " + file.mayMove() + ", lost: " + file.hasLost());
  }
}
