package io.spillway.stress.bench;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The module that runs Log4j2 with Disruptor 3, as built beside this one.
 *
 * @param target its build directory
 */
record Log4j2Peer(Path target) {
  static final String MAIN = "io.spillway.stress.peer.Log4j2Throughput";

  /** Null if it is not built: then Log4j2 is left out of the comparison. */
  static Log4j2Peer find() {
    String first = System.getProperty("java.class.path").split(File.pathSeparator)[0];
    Path ownTarget = Path.of(first).toAbsolutePath().getParent();
    Path target = ownTarget.resolve("../../stress/log4j2-peer/target").normalize();
    return Files.isDirectory(target.resolve("lib")) ? new Log4j2Peer(target) : null;
  }

  String classPath() {
    return target.resolve("classes") + File.pathSeparator + target.resolve("lib") + "/*";
  }
}
