package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class LoadRunTest {

  private static final double ONE_IN_100_SECONDS = 0.01;

  @TempDir Path directory;

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
    public BufferWatch buffers() {
      return new BufferWatch(List.of());
    }

    @Override
    public Runnable rollover(LoadSpec.Target target) {
      return () -> {};
    }

    @Override
    public void stop() {}
  }

  /** Figures that are divided by the time of the load would be those of a milder one. */
  @Test
  @Timeout(60)
  void shouldNotWaitForCallsThatAreDueAfterItsEnd() throws Exception {
    String logs = directory.toString();
    LoadSpec.Target target =
        new LoadSpec.Target("shop", false, 0, logs + "/app.log", true, 0, logs, null, null);
    LoadSpec spec =
        new LoadSpec(
            3, false, ONE_IN_100_SECONDS, 9, 0, 0, 1, Set.of(), 0.1, target, null, logs, null);
    LoadRun load = new LoadRun(spec, new NoSystem());

    load.run();

    assertThat(load.seconds()).isLessThan(60);
    assertThat(load.senders()).allMatch(sender -> sender.sent() == 0 && sender.unmade() == 0);
  }
}
