package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Runs the operator's tools: mount, chattr, mv, rm, prlimit. */
public final class Shell {
  private Shell() {}

  /** What a command came to. */
  public record Result(int exitCode, String output) {}

  /** Runs a command that must succeed. */
  public static String run(Object... command) {
    Result result = attempt(command);
    assertThat(result.exitCode())
        .as(() -> Arrays.toString(command) + " said: " + result.output())
        .isZero();
    return result.output();
  }

  /** Runs a command that may fail; a tool that is not installed fails the test and is named. */
  public static Result attempt(Object... command) {
    String[] words = Arrays.stream(command).map(String::valueOf).toArray(String[]::new);
    try {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("ended: " + words[0]).isTrue();
      return new Result(process.exitValue(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Cannot run ["
              + words[0]
              + "]: install it (Debian: util-linux, e2fsprogs, coreutils, perl)",
          e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
