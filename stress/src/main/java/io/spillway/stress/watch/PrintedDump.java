package io.spillway.stress.watch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what {@code Thread.print} says: platform threads, their states, stacks and monitors. */
final class PrintedDump {

  private static final Pattern HEADER = Pattern.compile("\"(.*)\" #(\\d+) .*");
  private static final Pattern STATE = Pattern.compile(" +java\\.lang\\.Thread\\.State: (\\w+).*");
  private static final Pattern FRAME = Pattern.compile("\\tat ([^(]+)\\(.*");
  private static final Pattern LOCK =
      Pattern.compile(
          "\\t- (locked|waiting to lock|waiting on|waiting to re-lock in wait\\(\\)) <(\\w+)>.*");

  private final List<ThreadSample> threads = new ArrayList<>();
  private long id = -1;
  private String name;
  private Thread.State state;
  private List<Frame> stack = new ArrayList<>();
  private String waitsFor;
  private Set<String> owns = new HashSet<>();
  private final Set<String> released = new HashSet<>();

  private PrintedDump() {}

  static List<ThreadSample> parse(String text) {
    PrintedDump dump = new PrintedDump();
    text.lines().forEach(dump::line);
    dump.end();
    return dump.threads;
  }

  private void line(String line) {
    Matcher header = HEADER.matcher(line);
    if (header.matches()) {
      end();
      id = Long.parseLong(header.group(2));
      name = header.group(1);
      return;
    }
    Matcher frame = FRAME.matcher(line);
    if (frame.matches()) {
      stack.add(Frame.of(frame.group(1)));
      return;
    }
    Matcher lock = LOCK.matcher(line);
    if (lock.matches()) {
      lock(lock.group(1), lock.group(2));
      return;
    }
    Matcher found = STATE.matcher(line);
    if (found.matches()) {
      state = Thread.State.valueOf(found.group(1));
    } else if (line.isEmpty()) {
      end();
    }
  }

  /** A monitor that a thread waits on is still printed as locked further down its stack. */
  private void lock(String how, String monitor) {
    if (how.equals("locked")) {
      if (!released.contains(monitor)) {
        owns.add(monitor);
      }
    } else {
      released.add(monitor);
      waitsFor = how.equals("waiting on") ? waitsFor : monitor;
    }
  }

  private void end() {
    if (id >= 0 && state != null) {
      threads.add(new ThreadSample(id, name, state, List.copyOf(stack), waitsFor, owns));
    }
    id = -1;
    state = null;
    stack = new ArrayList<>();
    waitsFor = null;
    owns = new HashSet<>();
    released.clear();
  }
}
