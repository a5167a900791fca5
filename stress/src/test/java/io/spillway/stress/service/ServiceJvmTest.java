package io.spillway.stress.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.spillway.stress.fork.ChildCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a service that has ended says why. */
class ServiceJvmTest {

  private static final double PATIENCE_SECONDS = 60;

  @TempDir Path directory;

  /** A service that ends in some way. */
  static final class Ending {

    static byte[] kept;

    private Ending() {}

    /** Takes more memory than there is, ends by itself, or stays. */
    public static void main(String[] arguments) {
      switch (arguments[0]) {
        case "memory" -> kept = new byte[Integer.MAX_VALUE - 8];
        case "two" -> System.exit(2);
        case "three" -> System.exit(3);
        case "nothing" -> System.exit(0);
        case "refuse" -> {
          System.out.println("refused there is no such work");
          System.exit(2);
        }
        default -> {}
      }
      System.out.println("here");
      while (true) {
        LockSupport.park();
      }
    }
  }

  @Test
  void shouldTellALackOfMemoryFromAnExitWithTheSameCode() throws Exception {
    try (ServiceJvm jvm = start("memory")) {
      assertThat(jvm.failedWithin(PATIENCE_SECONDS))
          .hasMessageStartingWith("its JVM ran out of memory");
    }
    try (ServiceJvm jvm = start("three")) {
      assertThat(jvm.failedWithin(PATIENCE_SECONDS))
          .hasMessageStartingWith("its JVM has ended with exit code 3");
    }
  }

  /** What it runs may end it with any code. */
  @Test
  void shouldTellARefusalFromAnExitWithTheSameCode() throws Exception {
    try (ServiceJvm jvm = start("refuse")) {
      assertThat(jvm.failedWithin(PATIENCE_SECONDS))
          .hasMessage("there is no such work")
          .matches(ServiceJvm.Ended::refused)
          .matches(ServiceJvm.Ended::isExcused);
    }
    try (ServiceJvm jvm = start("two")) {
      assertThat(jvm.failedWithin(PATIENCE_SECONDS))
          .hasMessageStartingWith("its JVM has ended with exit code 2")
          .matches(ended -> !ended.refused());
    }
  }

  /** The service is not to blame for it, but for a client that waits for ever. */
  @Test
  void shouldTellTheClientsEndFromTheServices() throws Exception {
    try (ServiceJvm jvm = start(ServiceJvm.CLIENT, "three")) {
      assertThatExceptionOfType(ServiceJvm.Ended.class)
          .isThrownBy(() -> jvm.awaitEnd(PATIENCE_SECONDS))
          .withMessageStartingWith("the client's JVM has ended with exit code 3")
          .matches(ServiceJvm.Ended::isExcused);
    }
    try (ServiceJvm jvm = start(ServiceJvm.CLIENT, "stay")) {
      assertThatExceptionOfType(ServiceJvm.Ended.class)
          .isThrownBy(() -> jvm.awaitEnd(0))
          .withMessageStartingWith("the client's JVM did not end")
          .matches(ended -> !ended.isExcused());
    }
    try (ServiceJvm jvm = start("nothing")) {
      assertThat(jvm.failedWithin(PATIENCE_SECONDS)).as("ended well").isNull();
    }
  }

  /** Whether its container did it, the container knows. */
  @Test
  void shouldSayThatItWasKilled() throws Exception {
    try (ServiceJvm jvm = start("stay")) {
      jvm.await("here", PATIENCE_SECONDS);
      ProcessHandle.of(jvm.pid()).orElseThrow().destroyForcibly();

      assertThat(jvm.failedWithin(PATIENCE_SECONDS))
          .hasMessageStartingWith("its JVM was killed from outside (exit code 137)")
          .matches(ServiceJvm.Ended::isExcused);
    }
  }

  private ServiceJvm start(String way) throws Exception {
    return start("its", way);
  }

  private ServiceJvm start(String whose, String way) throws Exception {
    return ServiceJvm.start(
        whose,
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx32m",
            ChildCommand.EXIT_OUT_OF_MEMORY,
            "-cp",
            Path.of("target/test-classes").toAbsolutePath().toString(),
            Ending.class.getName(),
            way),
        directory,
        directory.resolve(way + "-stderr.txt"));
  }
}
