package io.spillway.stress.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchJvmTest {

  @TempDir Path directory;

  /** What a program says of itself. */
  static final class Child {

    private Child() {}

    public static void main(String[] args) {
      System.out.println("begins with " + args[0]);
      System.out.println("p50=2 p99.9=1.5E3 cpuPercent=-0.25");
    }
  }

  /** One that is run where the decimal separator is a comma. */
  static final class GermanChild {

    private GermanChild() {}

    public static void main(String[] args) {
      Locale.setDefault(Locale.GERMANY);
      BenchJvm.tell("cpuPercent=%.3f p50=%d", 0.125, 2);
    }
  }

  @Test
  void shouldReadEachFigureThatAProgramTells() throws Exception {
    BenchJvm.Figures figures = new BenchJvm(directory).run(Child.class, "spillway-file");

    assertThat(figures.get("p50")).isEqualTo(2);
    assertThat(figures.get("p99.9")).isEqualTo(1_500);
    assertThat(figures.get("cpuPercent")).isEqualTo(-0.25);
  }

  @Test
  void shouldReadFiguresInEveryLocale() throws Exception {
    BenchJvm.Figures figures = new BenchJvm(directory).run(GermanChild.class, "spillway-file");

    assertThat(figures.get("cpuPercent")).isEqualTo(0.125);
    assertThat(figures.get("p50")).isEqualTo(2);
  }

  /** Of its children; the first line of bash's own {@code times} is that of the shell itself. */
  @Test
  void shouldAddUpTheTimesThatTheShellTells() {
    assertThat(BenchJvm.cpuSeconds("0m0.002s 0m0.001s\n1m2.500s 0m0.250s\n")).isEqualTo(62.75);
  }

  /** No processor time at all would look like a good figure. */
  @Test
  void shouldRefuseTimesThatItCannotRead() {
    assertThatThrownBy(() -> BenchJvm.cpuSeconds("0m0,002s 0m0,001s\n1m2,500s 0m0,250s\n"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("1m2,500s");
  }
}
