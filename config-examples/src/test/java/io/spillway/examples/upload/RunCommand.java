package io.spillway.examples.upload;

import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.spi.LifeCycle;
import ch.qos.logback.core.util.Duration;
import io.spillway.archive.ArchiveListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a command with the path of an archive as its last argument. A stop ends it. */
public final class RunCommand extends ContextAwareBase implements ArchiveListener, LifeCycle {
  private static final String LONGEST_TEXT = "24 hours";
  private static final Duration LONGEST = Duration.valueOf(LONGEST_TEXT);

  private String command = "";
  private Duration timeout = Duration.buildByMinutes(30);
  private volatile boolean started;
  private volatile Process running;

  /** The command and its other arguments, with spaces between them. */
  public void setCommand(String command) {
    this.command = command;
  }

  /** How long the command may take, such as {@code 30 minutes}; up to 24 hours. */
  public void setTimeout(Duration timeout) {
    this.timeout = timeout;
  }

  @Override
  public void start() {
    if (command.isBlank()) {
      addError("Setting [command] is missing; archives wait. To do: set it.");
    } else if (timeout.getMilliseconds() < 1
        || timeout.getMilliseconds() > LONGEST.getMilliseconds()) {
      addError(
          "Setting [timeout] has the value ["
              + timeout
              + "]; allowed: 1 millisecond to "
              + LONGEST_TEXT
              + ". Archives wait. To do: correct it.");
    } else {
      started = true;
    }
  }

  @Override
  public boolean isStarted() {
    return started;
  }

  @Override
  public void stop() {
    started = false;
    Process process = running;
    if (process != null) {
      process.destroy();
    }
  }

  @Override
  public void archived(Path archive) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(command.trim().split(" +")));
    words.add(archive.toString());
    Process process = new ProcessBuilder(words).inheritIO().start();
    running = process;
    try {
      if (!started) { // stopped meanwhile
        process.destroy();
      }
      if (!process.waitFor(timeout.getMilliseconds(), TimeUnit.MILLISECONDS)) {
        throw new IOException("no end in " + timeout + ": " + words);
      }
      if (process.exitValue() != 0) {
        throw new IOException("exit code " + process.exitValue() + " of " + words);
      }
    } finally {
      running = null;
      process.destroyForcibly();
    }
  }
}
