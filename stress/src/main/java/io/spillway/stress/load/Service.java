package io.spillway.stress.load;

/** A service in the forked JVM of a trial; the requests that it gets make the log calls. */
public interface Service {

  /** Returns the port on which it answers requests. */
  int port();

  /** Stops the service; afterwards no thread of it makes a log call. */
  void stop() throws Exception;

  /** Starts services; found by a {@link java.util.ServiceLoader} in {@code stress/services}. */
  interface Starter {

    /**
     * Starts a service.
     *
     * @param application what it is and does
     * @param log the log for its requests
     * @return the service, which answers requests from now on
     * @throws IllegalArgumentException if there is no such service, or if it has no such work
     */
    Service start(LoadSpec.Application application, ServiceLog log) throws Exception;
  }
}
