package io.spillway.examples.upload;

import io.spillway.archive.ArchiveListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a command with the path of an archive as its last argument. */
public final class RunCommand implements ArchiveListener {
  private static final int MOST_MINUTES = 30;

  private String command = "";

  /** The command and its other arguments, with spaces between them. */
  public void setCommand(String command) {
    this.command = command;
  }

  @Override
  public void archived(Path archive) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(command.trim().split(" +")));
    words.add(archive.toString());
    Process process = new ProcessBuilder(words).inheritIO().start();
    if (!process.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new IOException("no end in " + MOST_MINUTES + " minutes: " + words);
    }
    if (process.exitValue() != 0) {
      throw new IOException("exit code " + process.exitValue() + " of " + words);
    }
  }
}
