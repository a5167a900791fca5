package io.spillway.stress.report;

/** Tells whoever waits how far a run has come. Calls may come from any one thread at a time. */
public interface Progress extends AutoCloseable {

  /** A step of the run begins; it is expected to take so many seconds. */
  void begin(String step, double expectedSeconds);

  /** Something worth knowing happened within the step. */
  void note(String what);

  /** Called a few times a second while a step lasts. */
  void tick();

  @Override
  void close();

  /** Tells nobody. */
  Progress NONE =
      new Progress() {
        @Override
        public void begin(String step, double expectedSeconds) {}

        @Override
        public void note(String what) {}

        @Override
        public void tick() {}

        @Override
        public void close() {}
      };

  /** A bar on a terminal, plain lines elsewhere. */
  static Progress to(java.io.PrintStream out, boolean terminal, double expectedSeconds) {
    return terminal ? new BarProgress(expectedSeconds) : new LineProgress(out);
  }
}
