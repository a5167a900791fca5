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
  private static final int EDQUOT = 122;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"C", "de_DE.UTF-8"})
  void shouldTellFailuresApart(String locale) {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=64k")) {
      Shell.Result result =
          Shell.attempt(
              "env",
              "LC_ALL=" + locale,
              "sh",
              "-c",
              "ulimit -n 200; ulimit -f 2048; exec \"$0\" -cp \"$1\" -Xmx64m \"$2\" \"$3\" \"$4\" \"$5\"",
              Path.of(System.getProperty("java.home"), "bin", "java"),
              System.getProperty("java.class.path"),
              LocaleChild.class.getName(),
              disk.directory(),
              directory.resolve("limited"),
              textOf(EDQUOT, locale));
      String output = result.output();
      Assumptions.assumeTrue(
          locale.equals("C") || output.contains("Speicherplatz"),
          "skipped, there is no German locale (apt-get install locales; localedef -i de_DE -f UTF-8"
              + " de_DE.UTF-8): "
              + output);
      assertThat(output)
          .contains("full true free or raise the space")
          .contains("limit false free or raise the space, quota or file-size limit")
          .contains("quota true free or raise the space, quota or file-size limit")
          .contains("descriptors false raise the limit of open files (ulimit -n)");
    }
  }

  /** What the C library says; quotas themselves need a kernel that has them. */
  private static String textOf(int error, String locale) {
    String print =
        "use POSIX; setlocale(LC_ALL, ''); open(F, '>&=1'); $! = %d; syswrite(F, \"$!\")";
    return Shell.run("env", "LC_ALL=" + locale, "perl", "-e", print.formatted(error));
  }
}
