package io.spillway.stress.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
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

  @Test
  void shouldReadEachFigureThatAProgramTells() throws Exception {
    BenchJvm.Figures figures = new BenchJvm(directory).run(Child.class, "spillway-file");

    assertThat(figures.get("p50")).isEqualTo(2);
    assertThat(figures.get("p99.9")).isEqualTo(1_500);
    assertThat(figures.get("cpuPercent")).isEqualTo(-0.25);
  }
}
