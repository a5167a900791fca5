package io.spillway.stress.cli;

import io.spillway.stress.watch.Target;
import io.spillway.stress.watch.Watch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** The {@code watch} command: watches a running JVM, or lists those of this user. */
@Command(
    name = "watch",
    mixinStandardHelpOptions = true,
    description = {
      "Watches a running JVM of this user, and shows which frames hold up how many threads for how"
          + " long: log calls first, then whatever else does.",
      "The JVM needs no restart. It may be any HotSpot JVM of this user, Java 17 or newer."
    })
final class WatchCommand implements Callable<Integer> {

  private static final int MOST_SECONDS = 3600;

  @Spec private CommandSpec spec;
  @ParentCommand private CommandLineTool tool;

  @Parameters(
      arity = "0..1",
      paramLabel = "PID",
      description = "The process to watch. Without it: the list of those that could be.")
  private Long pid;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "How long to watch, 1 to 3600 (default ${DEFAULT-VALUE}); Ctrl-C ends it too.")
  private int seconds;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "spillway-results",
      description = "Directory that gets one directory a watch (default ${DEFAULT-VALUE}).")
  private Path out;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (seconds < 1 || seconds > MOST_SECONDS) {
      throw new ParameterException(
          spec.commandLine(),
          "Invalid value for option '--seconds': '" + seconds + "'; allowed: 1 to 3600");
    }
    if (pid == null) {
      list();
    } else {
      new Watch(pid, seconds, out).execute(tool.out(), System.console() != null);
    }
    return CommandLine.ExitCode.OK;
  }

  private void list() {
    List<Target.Jvm> jvms = Target.list();
    if (jvms.isEmpty()) {
      tool.out().println("No JVM of this user is running.");
    }
    for (Target.Jvm jvm : jvms) {
      tool.out().printf("%7d  %s%n", jvm.pid(), jvm.command());
    }
  }
}
