package io.spillway.stress.load;

/** A service in the forked JVM of a trial; the requests that it gets make the log calls. */
public interface Service {

  /** Returns the port on which it answers requests. */
  int port();

  /** Stops the service; afterwards no thread of it makes a log call. */
  void stop() throws Exception;

  /** The log of a service, which measures each call. Safe for use by all threads. */
  interface Log {

    /** Logs the given number of lines, unless the log is off. */
    void lines(int number);

    /** Makes one log call of other code, such as that of a server's request log. */
    void call(Runnable logCall);
  }

  /** Starts services; found by a {@link java.util.ServiceLoader} in {@code stress/services}. */
  interface Starter {

    /** Starts a service, which answers requests from now on; throws if there is no such one. */
    Service start(LoadSpec.Application application, Log log) throws Exception;
  }
}
