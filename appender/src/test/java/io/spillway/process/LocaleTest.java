package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Shell;
import io.spillway.testkit.Tmpfs;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures are told apart in whatever language the system puts them. */
@Timeout(60)
class LocaleTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"C", "de_DE.UTF-8"})
  void shouldTellAFullDiskAndALackOfDescriptorsApart(String locale) {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=64k")) {
      Shell.Result result =
          Shell.attempt(
              "env",
              "LC_ALL=" + locale,
              "sh",
              "-c",
              "ulimit -n 200; exec \"$0\" -cp \"$1\" -Xmx64m \"$2\" \"$3\"",
              Path.of(System.getProperty("java.home"), "bin", "java"),
              System.getProperty("java.class.path"),
              LocaleChild.class.getName(),
              disk.directory());
      String output = result.output();
      Assumptions.assumeTrue(
          locale.equals("C") || output.contains("Speicherplatz"),
          "skipped, there is no German locale (apt-get install locales; localedef -i de_DE -f UTF-8"
              + " de_DE.UTF-8): "
              + output);
      assertThat(output)
          .contains("full true free or raise the space")
          .contains("descriptors false raise the limit of open files (ulimit -n)");
    }
  }
}
