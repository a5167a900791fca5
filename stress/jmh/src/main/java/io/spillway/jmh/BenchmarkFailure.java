package io.spillway.jmh;

/** A benchmark could not be run, or failed without a figure; the message says which. */
final class BenchmarkFailure extends Exception {
  private static final long serialVersionUID = 1L;

  BenchmarkFailure(String message) {
    super(message);
  }
}
