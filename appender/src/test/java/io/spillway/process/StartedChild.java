package io.spillway.process;

import io.spillway.testkit.Configured;
import io.spillway.testkit.Subject;
import java.nio.file.Path;

/** Starts an appender of each kind, one with an own policy, too, and logs nothing. */
public final class StartedChild {
  private StartedChild() {}

  public static void main(String[] arguments) throws Exception {
    for (Subject.Kind kind : Subject.Kind.values()) {
      Path directory = Path.of(arguments[0], kind.name());
      new Subject(kind, directory).start();
    }
    Path logs = Path.of(arguments[0], "own");
    String policy =
        "<file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>"
            + "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
            + "<fileNamePattern>DIR/app.%d.%i.log.gz</fileNamePattern>"
            + "<maxFileSize>1GB</maxFileSize><maxHistory>3</maxHistory></rollingPolicy>";
    new Configured(Configured.SPILLWAY, logs, policy).file();
    System.out.println("started 1");
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }
}
