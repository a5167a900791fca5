package io.spillway.survival;

import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.Shortage;
import io.spillway.testkit.ShortageLoader;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Stops its appender, or exits, or both, while who saves what waits has no memory. */
public final class ShortEndChild {
  static final int EVENTS = 500;

  private static volatile boolean told;

  private ShortEndChild() {}

  /** A directory; STOP, EXIT or EXIT_STOP. */
  public static void main(String[] arguments) throws Exception {
    if (!(ShortEndChild.class.getClassLoader() instanceof ShortageLoader)) {
      new ShortageLoader()
          .loadClass(ShortEndChild.class.getName())
          .getMethod("main", String[].class)
          .invoke(null, (Object) arguments);
      return;
    }
    Subject subject = new Subject(Subject.Kind.WRAPPED, Path.of(arguments[0]));
    subject.settings().setMemoryBuffer("8 MB");
    subject.settings().setMaxFlushTime("100 milliseconds");
    subject
        .context()
        .getStatusManager()
        .add(
            status -> {
              System.out.println("STATUS " + status.getMessage());
              told |= status.getMessage().contains("too little memory");
            });
    subject.gate.shut();
    subject.start();
    subject.log("0", 0, EVENTS);
    while (subject.metrics().getRingUsed() > 0 || !subject.gate.isHolding()) {
      LockSupport.parkNanos(100_000);
    }
    Shortage.begin("spillway-stop", TimeUnit.HOURS.toNanos(1), 256);
    if (arguments[1].equals("EXIT")) {
      Runtime.getRuntime().addShutdownHook(new Thread(ShortEndChild::awaitTold));
    } else if (arguments[1].equals("STOP")) {
      subject.appender().stop();
      awaitTold();
      Shortage.end();
      while (subject.metrics().getSpilled() < EVENTS) {
        LockSupport.parkNanos(100_000);
      }
    } else {
      ExitHooks.of(subject.appender()).run();
      Shortage.end();
      subject.appender().stop();
      deliverLeft(Path.of(arguments[0]));
    }
    System.exit(0);
  }

  /** Which it can if nobody owns the directory of the spill any more. */
  private static void deliverLeft(Path directory) {
    try (Subject next = new Subject(Subject.Kind.WRAPPED, directory).start()) {
      next.awaitDelivered();
      System.out.println("delivered " + next.lines().size());
    }
  }

  private static void awaitTold() {
    while (!told) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
