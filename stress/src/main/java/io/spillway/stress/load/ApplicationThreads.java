package io.spillway.stress.load;

/** Makes application threads. */
interface ApplicationThreads {

  /**
   * A thread that is not started.
   *
   * @param number the end of its name
   */
  Thread make(Sender sender, String number);

  /** Platform threads, or virtual ones, which need Java 21. */
  static ApplicationThreads of(boolean virtual) {
    return virtual
        ? new VirtualThreads()
        : (sender, number) -> new Thread(sender, LoadSpec.APPLICATION_THREAD + number);
  }
}
