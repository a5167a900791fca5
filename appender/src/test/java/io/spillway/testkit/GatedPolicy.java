package io.spillway.testkit;

import ch.qos.logback.core.rolling.LengthCounter;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import java.io.File;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A policy that holds the deliverer at a gate, and rolls over when told to (app.log to app.log.1,
 * .2, ...).
 *
 * @param <E> the type of event
 */
public final class GatedPolicy<E> extends RollingPolicyBase implements TriggeringPolicy<E> {
  public final Gate gate = new Gate();
  private final AtomicBoolean rollWanted = new AtomicBoolean();
  private int rolled; // by the deliverer

  /** Asks for a rollover before the next write. */
  public void roll() {
    rollWanted.set(true);
  }

  @Override
  public boolean isTriggeringEvent(File activeFile, E event) {
    gate.pass();
    return rollWanted.getAndSet(false);
  }

  @Override
  public void rollover() {
    File active = new File(getActiveFileName());
    if (active.renameTo(new File(active + "." + (rolled + 1)))) {
      rolled++;
    }
  }

  @Override
  public LengthCounter getLengthCounter() {
    return null;
  }

  @Override
  public String getActiveFileName() {
    return getParentsRawFileProperty();
  }
}
