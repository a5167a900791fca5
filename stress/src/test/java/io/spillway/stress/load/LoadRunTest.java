package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.stress.report.LoadFigures;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LoadRunTest {

  private static final double ONE_IN_100_SECONDS = 0.01;

  @TempDir Path directory;

  /** Figures that are divided by the time of the load would be those of a milder one. */
  @Test
  void shouldNotWaitForCallsThatAreDueAfterItsEnd() throws Exception {
    LoadFigures figures = run(ONE_IN_100_SECONDS, false);

    assertThat(figures.loadSeconds()).isLessThan(60);
    assertThat(figures.callsDue()).isZero();
    assertThat(figures.heldBySecond()).hasSameSizeAs(figures.cpuBySecond());
    assertThat(directory.resolve(LoadSpec.LATENCY_FILE)).isNotEmptyFile();
  }

  @Test
  void shouldSendFromVirtualThreadsWhereTheJvmHasThem() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "skipped, virtual threads need Java 21");

    LoadFigures figures = run(1_000, true);

    assertThat(figures.callsMade()).isPositive().isEqualTo(figures.callsDue());
  }

  private LoadFigures run(double rate, boolean virtual) throws Exception {
    String logs = directory.toString();
    LoadSpec.Target target =
        new LoadSpec.Target("shop", false, 0, logs + "/app.log", true, 0, logs, null, null);
    LoadSpec spec =
        new LoadSpec(3, virtual, rate, 0, 0, 1, Set.of(), 0.1, target, null, logs, null);
    LoadRun load = new LoadRun(spec, new NoSystem());
    load.run();
    return load.figures(new Child.WarmUp(), 0, List.of());
  }

  /** Does nothing. */
  private static final class NoSystem implements LoggingSystem {
    @Override
    public List<String> errors() {
      return List.of();
    }

    @Override
    public List<String> problems() {
      return List.of();
    }

    @Override
    public Runnable rollover(LoadSpec.Target target) {
      return () -> {};
    }

    @Override
    public void stop() {}
  }
}
