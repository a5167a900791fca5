package io.spillway.stress.fork;

import java.util.List;

/**
 * How a forked JVM ended.
 *
 * @param command its command line
 * @param failure why it did not end well, or null
 */
public record ChildOutcome(List<String> command, String failure) {

  /** Whether the child ended by itself, reporting success. */
  public boolean ok() {
    return failure == null;
  }
}
