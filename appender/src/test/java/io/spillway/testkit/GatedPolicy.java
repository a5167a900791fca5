package io.spillway.testkit;

import ch.qos.logback.core.rolling.LengthCounter;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import java.io.File;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A policy that holds the deliverer at a gate, rolls over when told to (app.log to app.log.1, .2,
 * ...) and runs what a test wants it to run, or throw, where Logback calls it.
 *
 * @param <E> the type of event
 */
public final class GatedPolicy<E> extends RollingPolicyBase implements TriggeringPolicy<E> {
  public final Gate gate = new Gate();
  private final AtomicBoolean rollWanted = new AtomicBoolean();
  private volatile Runnable onTrigger = () -> {};
  private volatile Runnable onRollover = () -> {};
  private volatile Runnable onCount = () -> {};
  private volatile Runnable onActive = () -> {};
  private volatile int rolled;

  /** Asks for a rollover before the next write. */
  public void roll() {
    rollWanted.set(true);
  }

  /** How many there have been. */
  public int rolled() {
    return rolled;
  }

  /** Runs whenever the triggering policy is asked. */
  public void onTrigger(Runnable action) {
    onTrigger = action;
  }

  /** Runs at the beginning of each rollover. */
  public void onRollover(Runnable action) {
    onRollover = action;
  }

  /** Runs whenever the length counter is asked for. */
  public void onCount(Runnable action) {
    onCount = action;
  }

  /** Runs whenever the name of the active file is asked for. */
  public void onActive(Runnable action) {
    onActive = action;
  }

  @Override
  public boolean isTriggeringEvent(File activeFile, E event) {
    gate.pass();
    onTrigger.run();
    return rollWanted.getAndSet(false);
  }

  @Override
  public void rollover() {
    onRollover.run();
    File active = new File(getActiveFileName());
    if (active.renameTo(new File(active + "." + (rolled + 1)))) {
      rolled++;
    }
  }

  @Override
  public LengthCounter getLengthCounter() {
    onCount.run();
    return null;
  }

  @Override
  public String getActiveFileName() {
    onActive.run();
    return getParentsRawFileProperty();
  }
}
