package io.spillway.process;

import io.spillway.testkit.Subject;
import java.nio.file.Path;

/** Starts an appender of each kind, and logs nothing. */
public final class StartedChild {
  private StartedChild() {}

  public static void main(String[] arguments) throws Exception {
    for (Subject.Kind kind : Subject.Kind.values()) {
      Path directory = Path.of(arguments[0], kind.name());
      new Subject(kind, directory).start();
    }
    System.out.println("started 1");
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }
}
