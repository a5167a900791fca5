package io.spillway.file;

import io.spillway.internal.sink.LogFile;
import java.io.IOException;
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
    ForcedFileChild.write(file, "one\n");
    force(file);
    Files.writeString(path, "o");
    force(file);
    ForcedFileChild.write(file, "two\n");
    force(file);
    file.forcedOnClose(true); // a restart
    force(file);
  }

  private static void force(LogFile file) {
    ForcedFileChild.force(file);
    System.out.println("may move: " + file.mayMove() + ", lost: " + file.hasLost());
  }
}
