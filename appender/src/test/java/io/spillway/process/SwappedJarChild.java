package io.spillway.process;

import io.spillway.testkit.Subject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.MarkerFactory;

/** Its sink is stuck, and its jar is overwritten before the first event comes. */
public final class SwappedJarChild {
  private SwappedJarChild() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[1]);
    Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), directory);
    subject.settings().setMaxFlushTime("1 second");
    subject.start();
    subject.gate.shut();
    while (Files.notExists(directory.resolve("swapped"))) {
      LockSupport.parkNanos(1_000_000);
    }
    for (int i = 0; i < SwappedJarTest.EVENTS; i++) {
      subject
          .logger
          .atInfo()
          .addMarker(MarkerFactory.getMarker("AUDIT"))
          .addKeyValue("i", i)
          .setCause(i % 1_000 == 0 ? new IllegalStateException("cause") : null)
          .log("number {} of {}", i, new StringBuilder("many"));
    }
    System.out.println("logged 1");
    if (Boolean.parseBoolean(arguments[2])) {
      subject.gate.open();
      subject.awaitDelivered();
    }
    System.out.println("ends 1");
    System.exit(0);
  }
}
