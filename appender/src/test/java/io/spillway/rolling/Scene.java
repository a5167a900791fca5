package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import io.spillway.internal.compress.ArchiveFiles;
import io.spillway.rolling.RollingRig.Host;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A policy that rolls over at each message, and what its files must show at any time. */
enum Scene {
  WINDOW("app.%i.log.gz", true),
  SIZED("app.%d{yyyy-MM}.%i.log.gz", true),
  BARE("app.%d{yyyy-MM}.%i.log.gz", false),
  DIRECTORIES("%d{yyyy/MM}/app.%i.log.zip", true);

  private static final Pattern INDEX = Pattern.compile("app\\..*?(\\d+)\\.log[.a-z]*$");

  private final String pattern;
  private final boolean withFile;

  Scene(String pattern, boolean withFile) {
    this.pattern = pattern;
    this.withFile = withFile;
  }

  RollingRig start(Path logs, ArchiveFiles files) {
    Path file = withFile ? logs.resolve("app.log") : null;
    RollingRig rig = new RollingRig(Host.STOCK, file);
    String names = logs.resolve(pattern).toString();
    if (this == WINDOW) {
      FixedWindowRollingPolicy window = new FixedWindowRollingPolicy();
      window.setFileNamePattern(names);
      window.setMaxIndex(20);
      window.archiving().settings.files = files;
      SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
      trigger.setMaxFileSize(new FileSize(1));
      return rig.with(window, trigger).start();
    }
    SizeAndTimeBasedRollingPolicy<ILoggingEvent> sized = new SizeAndTimeBasedRollingPolicy<>();
    sized.setFileNamePattern(names);
    sized.setMaxFileSize(new FileSize(1));
    sized.archiving().settings.files = files;
    return rig.with(sized, (TriggeringPolicy<ILoggingEvent>) sized).start();
  }

  /** Some are of many chunks. */
  static String message(int number) {
    return "message " + number + "x".repeat(number % 3 == 2 ? 1_500_000 : 10);
  }

  /** Returns all messages, oldest first: those of a file after those of the files before it. */
  List<String> messages(Path logs) {
    Map<String, String> tree = tree(logs);
    List<String> names = new ArrayList<>(tree.keySet());
    names.removeIf(name -> tree.get(name).equals(Tree.DIRECTORY) || name.endsWith(".part"));
    names.sort((a, b) -> Integer.compare(age(b), age(a)));
    List<String> messages = new ArrayList<>();
    for (String name : names) {
      messages.addAll(Arrays.asList(tree.get(name).split("\n")));
    }
    messages.removeIf(String::isEmpty);
    return messages;
  }

  /** Parts are no archives yet. */
  private static Map<String, String> tree(Path logs) {
    while (true) {
      Map<String, String> tree = Tree.of(logs);
      if (tree != null) {
        return tree;
      }
    }
  }

  private int age(String name) {
    Matcher index = INDEX.matcher(name);
    return !index.find()
        ? Integer.MIN_VALUE // the active file
        : this == WINDOW ? Integer.parseInt(index.group(1)) : -Integer.parseInt(index.group(1));
  }

  /** Asserts that nothing is lost; a rolled file and its archive may both be there. */
  void assertNothingLost(Path logs, List<String> logged) {
    assertThat(messages(logs).stream().distinct().toList()).containsAll(logged);
  }

  void assertEachOnceInOrder(Path logs, List<String> logged) {
    assertThat(messages(logs)).isEqualTo(logged);
    assertThat(tree(logs).keySet()).noneMatch(name -> name.endsWith(".part"));
  }
}
