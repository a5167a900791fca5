package io.spillway.process;

import io.spillway.Acknowledgement;
import io.spillway.testkit.Subject;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that log, each call acknowledged, through a sink that stalls. Each tells its parent of an
 * event once the call has returned, in one write, so that the pipe has it whole or not at all.
 */
public final class AcknowledgedKillChild {
  static final int THREADS = 8;

  private AcknowledgedKillChild() {}

  public static void main(String[] arguments) throws IOException {
    Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), Path.of(arguments[1]));
    subject.settings().setAcknowledge(arguments[2]);
    subject.settings().setAcknowledgeTimeout("1 minute");
    int run = Integer.parseInt(arguments[3]);
    Random random = new Random(run);
    subject.gate.onPass(
        () -> {
          if (random.nextInt(200) == 0) {
            LockSupport.parkNanos(random.nextInt(50_000_000));
          }
        });
    subject.start();
    FileOutputStream pipe = new FileOutputStream("/proc/self/fd/1");
    for (int thread = 0; thread < THREADS; thread++) {
      String stream = String.valueOf(run * THREADS + thread);
      Thread producer = new Thread(() -> log(subject, stream, pipe));
      producer.setDaemon(true);
      producer.start();
    }
    while (true) {
      LockSupport.parkNanos(1_000_000_000L);
    }
  }

  private static void log(Subject subject, String stream, FileOutputStream pipe) {
    for (int number = 0; ; number++) {
      subject.log(stream, number, number + 1);
      String told =
          (Acknowledgement.missed() == 0 ? "acknowledged " : "missed ")
              + stream
              + " "
              + number
              + "\n";
      try {
        pipe.write(told.getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
