package io.spillway.examples.kafka;

import io.spillway.examples.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts JVMs that print to a file. */
final class Jvm {
  private Jvm() {}

  /**
   * Runs a main class.
   *
   * @param directory where it works; what it prints goes to output.txt there
   */
  static Process start(Path directory, List<String> options, Class<?> main, Object... arguments)
      throws IOException {
    Path output = directory.resolve("output.txt");
    List<String> all = new ArrayList<>(List.of("-Xmx512m"));
    all.addAll(options);
    return ChildJvm.of(directory, all, main, arguments)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
        .start();
  }
}
