package io.spillway.promises;

import io.spillway.testkit.Probe;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the tests of the promises share. */
@Timeout(900)
abstract class Promise {
  static final boolean FULL = Boolean.getBoolean("spillway.test.full"); // the long form

  @TempDir Path directory;

  /** Runs a test with either appender. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @ParameterizedTest
  @EnumSource(Probe.Kind.class)
  @interface Both {}
}
