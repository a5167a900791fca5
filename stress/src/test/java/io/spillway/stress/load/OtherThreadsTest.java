package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.calibrate.Spinning;
import io.spillway.stress.report.LoadFigures;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class OtherThreadsTest {

  private static final long SECOND = 1_000_000_000;

  /** So many that none of them is busy by itself. */
  @Test
  void shouldNameWhereThreadsOfOneNameAreBusyTogether() {
    OtherThreads others = new OtherThreads();
    long now = System.nanoTime() + 2 * SECOND;
    try (Spinning spinning = new Spinning("spinning-", 16);
        Spinning application = new Spinning(LoadSpec.APPLICATION_THREAD, 1)) {
      others.look(now);
      while (spinning.cpuSeconds() < 1 || application.cpuSeconds() == 0) {
        LockSupport.parkNanos(1_000_000);
      }
      others.look(now + SECOND);
      others.sumUp();
    }
    List<LoadFigures.ThreadCpu> figures = others.figures();
    assertThat(figures)
        .filteredOn(thread -> thread.thread().equals("spinning"))
        .singleElement()
        .matches(thread -> thread.seconds() >= 1)
        .extracting(LoadFigures.ThreadCpu::frame)
        .isEqualTo(Spinning.class.getName() + ".spin");
    assertThat(figures)
        .extracting(LoadFigures.ThreadCpu::thread)
        .noneMatch(name -> name.startsWith(LoadSpec.APPLICATION_THREAD));
    assertThat(figures)
        .filteredOn(thread -> thread.seconds() < 0.1)
        .allMatch(t -> t.frame() == null);
  }
}
