package io.spillway.stress.fork;

import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;

/** What this process does while the forked JVM of a trial runs. */
public interface Driver extends AutoCloseable {

  /** Does nothing: the forked JVM makes its load itself. */
  Driver NONE = new Driver() {};

  /** Takes a line that the child has printed; must return soon. A failure ends the listening. */
  default void heard(String line, ChildProcess child) throws IOException {}

  /**
   * Completes the figures that the child has reported by those of this driver.
   *
   * @param load the child's figures
   * @return the figures of the trial
   * @throws IOException if the driver has failed
   */
  default LoadFigures completed(LoadFigures load) throws IOException {
    return load;
  }

  /** Returns figures that only a service has; null if the trial is none. */
  default TrialResult.ServiceFigures figures(LoadFigures load) {
    return null;
  }

  /** Stops what still runs. */
  @Override
  default void close() {}
}
