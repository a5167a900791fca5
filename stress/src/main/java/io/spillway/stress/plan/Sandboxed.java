package io.spillway.stress.plan;

import io.spillway.stress.sandbox.LogFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Somebody else's configuration, as far as a trial has to know it.
 *
 * @param configuration the file, absolute
 * @param home the directory that its relative paths are relative to
 * @param classPath what it needs besides the harness, first on the class path
 * @param properties system properties that it refers to
 * @param logger that the load uses
 * @param file that is watched; its paths are relative to the sandbox
 * @param limitBytes at which it is to roll over instead of at its own limit, or 0
 * @param sizeBytes of the file when it rolls over
 * @param lineBytes of an event in it
 * @param others appenders that send events elsewhere than to files or the console
 */
record Sandboxed(
    Path configuration,
    Path home,
    List<Path> classPath,
    Map<String, String> properties,
    String logger,
    LogFile file,
    long limitBytes,
    long sizeBytes,
    double lineBytes,
    List<String> others) {

  /** The same, rolling over at another size. */
  Sandboxed withLimit(long bytes) {
    return new Sandboxed(
        configuration, home, classPath, properties, logger, file, bytes, bytes, lineBytes, others);
  }
}
