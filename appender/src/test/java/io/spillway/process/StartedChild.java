package io.spillway.process;

import io.spillway.testkit.Configured;
import io.spillway.testkit.Subject;
import java.nio.file.Path;

/** Starts an appender of each kind, two with own policies, too, and logs nothing. */
public final class StartedChild {
  private StartedChild() {}

  public static void main(String[] arguments) throws Exception {
    for (Subject.Kind kind : Subject.Kind.values()) {
      Path directory = Path.of(arguments[0], kind.name());
      new Subject(kind, directory).start();
    }
    start(
        Path.of(arguments[0], "own"),
        "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
            + "<fileNamePattern>DIR/app.%d.%i.log.gz</fileNamePattern>"
            + "<maxFileSize>1GB</maxFileSize><maxHistory>3</maxHistory></rollingPolicy>");
    start(
        Path.of(arguments[0], "window"),
        "<rollingPolicy class='io.spillway.rolling.FixedWindowRollingPolicy'>"
            + "<fileNamePattern>DIR/app.%i.log.gz</fileNamePattern></rollingPolicy>"
            + "<triggeringPolicy class='io.spillway.rolling.SizeOrTimeBasedTriggeringPolicy'/>");
    System.out.println("started 1");
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  private static void start(Path logs, String policies) throws Exception {
    String file = "<file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>";
    new Configured(Configured.SPILLWAY, logs, file + policies).file();
  }
}
