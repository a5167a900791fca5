package io.spillway.stress.watch;

import io.spillway.stress.record.LoggingFrames;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Tells a thread that is held up from one that waits for work, by its stack:
 *
 * <ol>
 *   <li>A thread that waits to enter a monitor is held up.
 *   <li>A thread in a known place where pools, timers and queues wait for work is idle, and so is
 *       one whose stack has no frame outside the JDK and that does not wait for a lock.
 *   <li>A thread whose own outermost method (its {@code run}, or that of its task) itself takes
 *       from a queue, sleeps, parks, or awaits a condition, a latch or another thread is idle: no
 *       caller waits for it.
 *   <li>A thread that sleeps is idle, too, if its own outermost method has called only a helper
 *       that sleeps, and no pool runs it.
 *   <li>A thread in a system call for a socket, a file or a name is held up, whichever code made
 *       the call, unless the call accepts or selects, or reads a stream of a file, which may be
 *       standard input.
 *   <li>Every other thread that waits is held up: code outside the wait called the method that
 *       waits.
 * </ol>
 *
 * A thread held up below a logging frame counts as logging, named by the logging frame nearest to
 * the wait, unless it is a logging library's own thread, in which no log call waits. Other waits
 * are named by the nearest frame that is neither JDK internals nor {@code java.util.concurrent}; a
 * sleep by the caller of the helper that sleeps, and a system call by the nearest frame outside the
 * JDK.
 */
final class WaitRule {

  private static final String MONITOR = "monitor";
  private static final Set<String> TAKES =
      Set.of("take", "takeFirst", "takeLast", "poll", "pollFirst", "pollLast");
  private static final Set<String> OWN_WAITS = Set.of("sleep", "wait", "join", "park", "parkNanos");
  private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.");
  private static final List<String> PLUMBING =
      List.of(
          "java.util.concurrent.",
          "java.lang.Object",
          "java.lang.Thread",
          "java.lang.VirtualThread",
          "java.lang.BaseVirtualThread",
          "java.lang.System$",
          "java.lang.ref.",
          "jdk.internal.",
          "sun.",
          "com.sun.");

  /**
   * Frames below which a pool, queue or collector waits for its next piece of work. A frame that
   * also runs pieces of work, such as {@code java.util.TimerThread.mainLoop}, must not be in the
   * set.
   */
  private static final Set<String> IDLE_PLACES =
      Set.of(
          "java.util.concurrent.ThreadPoolExecutor.getTask",
          "java.util.concurrent.ForkJoinPool.awaitWork",
          "java.util.concurrent.DelayScheduler.loop",
          "java.lang.ref.ReferenceQueue.remove",
          "java.lang.ref.Reference$ReferenceHandler.run",
          "jdk.jfr.internal.PlatformRecorder.takeNap",
          "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask",
          "org.apache.tomcat.util.threads.TaskQueue.take",
          "org.apache.tomcat.util.threads.TaskQueue.poll",
          "org.apache.catalina.core.StandardServer.await",
          "org.eclipse.jetty.util.thread.QueuedThreadPool.idleJobPoll",
          "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll",
          "org.eclipse.jetty.util.thread.QueuedThreadPool.join",
          "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.reservedWait",
          "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.waitForTask",
          "io.netty.util.concurrent.SingleThreadEventExecutor.takeTask",
          "io.netty.util.concurrent.GlobalEventExecutor.takeTask",
          "io.netty.util.HashedWheelTimer$Worker.waitForNextTick",
          "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker.park",
          "io.spillway.internal.flow.Deliverer.idle",
          "io.spillway.internal.flow.Spiller.rest",
          "io.spillway.internal.spill.SpillSyncer.awaitTurn");

  /** Native methods in which a thread waits for a socket, a file or a name. */
  private static final Pattern SYSTEM_CALL =
      Pattern.compile(
          "sun\\.nio\\.ch\\.(Net|EPoll|KQueue|UnixDomainSockets|\\w*Dispatcher\\w*|IOUtil)\\."
              + "(?!close|pre|dup|release)\\w+"
              + "|sun\\.nio\\.fs\\.UnixNativeDispatcher\\.\\w+"
              + "|java\\.io\\.(FileInputStream|FileOutputStream|RandomAccessFile)\\."
              + "(read|write)(Bytes)?0?"
              + "|java\\.io\\.FileDescriptor\\.sync0?"
              + "|java\\.io\\.UnixFileSystem\\.\\w+0"
              + "|java\\.net\\.(SocketInputStream|SocketOutputStream|PlainSocketImpl)\\.\\w+"
              + "|java\\.net\\.Inet\\w+Impl\\.(lookup|getHostBy)\\w+");

  /** System calls that are usually so short that a single sample of one proves no wait. */
  private static final Pattern BRIEF =
      Pattern.compile(
          "java\\.io\\.(FileOutputStream|RandomAccessFile|UnixFileSystem)\\..*"
              + "|sun\\.nio\\.ch\\.\\w*FileDispatcher\\w*\\.(?!force).*"
              + "|sun\\.nio\\.fs\\..*");

  /** Frames above a system call by which a thread waits for work. */
  private static final Pattern IDLE_CALL =
      Pattern.compile(
          ".*\\.(accept|implAccept|blockingAccept|accept0|select|lockAndDoSelect|doSelect)"
              + "|java\\.io\\.FileInputStream\\..*"
              + "|sun\\.nio\\.(ch\\.(EPoll|KQueue|Poller).*|fs\\.\\w*WatchService.*)");

  private static final Pattern SLEEPER =
      Pattern.compile("(?i).*(sleep|pause|delay|nap|snooze|back_?off|idle|wait).*");

  private static final Set<String> POOLS =
      Set.of(
          "java.util.concurrent.ThreadPoolExecutor.runWorker",
          "java.util.concurrent.ForkJoinWorkerThread.run",
          "org.apache.tomcat.util.threads.ThreadPoolExecutor.runWorker",
          "org.eclipse.jetty.util.thread.QueuedThreadPool.runJob");

  private static final String DISRUPTOR_CONSUMER = "WaitStrategy";

  private WaitRule() {}

  /**
   * Returns the place where a waiting thread waits.
   *
   * @param stack its frames, the innermost first
   * @param entersMonitor whether it waits to enter a monitor
   */
  static Place place(List<Place.Frame> stack, boolean entersMonitor) {
    List<Place.Frame> frames = stack.stream().filter(frame -> !isHidden(frame.type())).toList();
    int own = firstOwn(frames);
    String call = entersMonitor || own == 0 ? MONITOR : shortName(call(frames, own));
    if (!entersMonitor && isIdle(frames, own)) {
      return new Place(Place.Reason.IDLE, idleFrame(frames, own), call, stack);
    }
    for (Place.Frame frame : frames) {
      if (LoggingFrames.isLogging(frame.type()) && !isPassing(frame)) {
        return new Place(reason(frames), frame.toString(), call, stack);
      }
    }
    List<Place.Frame> from =
        frames.subList(sleeps(frames, own) ? afterSleepers(frames, own) : 0, frames.size());
    return new Place(Place.Reason.OTHER, nearest(from.isEmpty() ? frames : from), call, stack);
  }

  /** Returns whether a running thread's innermost frame waits for a socket, a file or a name. */
  static boolean inSystemCall(List<Place.Frame> stack) {
    return !stack.isEmpty() && SYSTEM_CALL.matcher(stack.get(0).toString()).matches();
  }

  /**
   * Returns whether the system call is usually short, so that it takes two dumps to prove a wait.
   */
  static boolean isBrief(List<Place.Frame> stack) {
    return BRIEF.matcher(stack.get(0).toString()).matches();
  }

  /**
   * Returns the place where a thread waits for a socket, a file or a name.
   *
   * @param stack its frames, the innermost first
   */
  static Place systemCall(List<Place.Frame> stack) {
    List<Place.Frame> frames = stack.stream().filter(frame -> !isHidden(frame.type())).toList();
    int own = firstOwn(frames);
    String call = own == 0 ? MONITOR : shortName(frames.get(own - 1));
    for (Place.Frame frame : frames.subList(0, own)) {
      if (IDLE_CALL.matcher(frame.toString()).matches()) {
        return new Place(Place.Reason.IDLE, idleFrame(frames, own), call, stack);
      }
    }
    if (own == frames.size()) {
      return new Place(Place.Reason.IDLE, nearest(frames), call, stack);
    }
    for (Place.Frame frame : frames) {
      if (LoggingFrames.isLogging(frame.type()) && !isPassing(frame)) {
        return new Place(reason(frames), frame.toString(), call, stack);
      }
    }
    return new Place(Place.Reason.OTHER, frames.get(own).toString(), call, stack);
  }

  /**
   * Returns the reason of a thread with a logging frame; a logging library's own thread is in no
   * log call.
   */
  private static Place.Reason reason(List<Place.Frame> frames) {
    for (int i = frames.size() - 1; i >= 0; i--) {
      if (!isJdk(frames.get(i).type())) {
        return LoggingFrames.isLogging(frames.get(i).type())
            ? Place.Reason.OTHER
            : Place.Reason.LOGGING;
      }
    }
    return Place.Reason.LOGGING; // java.util.logging, as the JDK itself uses it
  }

  private static boolean sleeps(List<Place.Frame> frames, int own) {
    return own > 0 && own < frames.size() && frames.get(own - 1).method().equals("sleep");
  }

  /** Returns the index of the first frame that is no helper that sleeps; at most the outermost. */
  private static int afterSleepers(List<Place.Frame> frames, int own) {
    int caller = own;
    while (caller < frames.size() - 1
        && SLEEPER.matcher(frames.get(caller).method()).matches()
        && !isJdk(frames.get(caller + 1).type())) {
      caller++;
    }
    return caller;
  }

  private static boolean isIdle(List<Place.Frame> frames, int own) {
    if (frames.isEmpty() || frames.stream().anyMatch(WaitRule::isIdlePlace)) {
      return true;
    }
    if (own == frames.size()) {
      return frames.stream().noneMatch(WaitRule::locks);
    }
    if (sleeps(frames, own) && frames.stream().noneMatch(f -> POOLS.contains(f.toString()))) {
      int caller = afterSleepers(frames, own);
      return frames.stream().skip(caller).filter(frame -> !isJdk(frame.type())).count() == 1;
    }
    long ownFrames = frames.stream().filter(frame -> !isJdk(frame.type())).count();
    return ownFrames == 1 && own > 0 && waitsByItself(frames.subList(0, own));
  }

  private static boolean isIdlePlace(Place.Frame frame) {
    return IDLE_PLACES.contains(frame.toString())
        || (frame.method().equals("waitFor") && frame.type().endsWith(DISRUPTOR_CONSUMER));
  }

  /** Returns whether the JDK's part of the stack is a wait that a run loop makes for new work. */
  private static boolean waitsByItself(List<Place.Frame> jdk) {
    Place.Frame call = jdk.get(jdk.size() - 1);
    String type = call.type();
    if (type.startsWith("java.util.concurrent.")) {
      return TAKES.contains(call.method())
          || type.equals("java.util.concurrent.locks.LockSupport")
          || type.endsWith("$ConditionObject")
          || type.equals("java.util.concurrent.CountDownLatch")
          || type.equals("java.util.concurrent.TimeUnit");
    }
    return type.startsWith("java.lang.") && OWN_WAITS.contains(call.method());
  }

  private static boolean locks(Place.Frame frame) {
    return frame.type().startsWith("java.util.concurrent.locks.Reentrant")
        || frame.type().startsWith("java.util.concurrent.locks.StampedLock")
        || frame.type().startsWith("java.util.concurrent.Semaphore");
  }

  private static String idleFrame(List<Place.Frame> frames, int own) {
    for (Place.Frame frame : frames) {
      if (isIdlePlace(frame)) {
        return frame.toString();
      }
    }
    if (own < frames.size()) {
      return frames.get(own).toString();
    }
    return frames.isEmpty() ? "(no Java frames)" : nearest(frames);
  }

  /** Returns the innermost frame that is not plumbing of the JDK. */
  static String nearest(List<Place.Frame> frames) {
    for (Place.Frame frame : frames) {
      if (PLUMBING.stream().noneMatch(frame.type()::startsWith)) {
        return frame.toString();
      }
    }
    return frames.isEmpty() ? "(no Java frames)" : frames.get(frames.size() - 1).toString();
  }

  /** Returns the JDK's method that non-plumbing code called to wait. */
  private static Place.Frame call(List<Place.Frame> frames, int own) {
    int last = -1;
    for (int i = 0; i < own; i++) {
      if (PLUMBING.stream().noneMatch(frames.get(i).type()::startsWith)) {
        break;
      }
      last = i;
    }
    return last < 0 ? new Place.Frame("", MONITOR) : frames.get(last);
  }

  private static int firstOwn(List<Place.Frame> frames) {
    int own = 0;
    while (own < frames.size() && isJdk(frames.get(own).type())) {
      own++;
    }
    return own;
  }

  /**
   * Returns whether a frame is a logging library's filter or valve, which is under every request.
   */
  private static boolean isPassing(Place.Frame frame) {
    return frame.method().equals("doFilter") || frame.method().equals("invoke");
  }

  private static boolean isHidden(String type) {
    return type.contains("$$Lambda") || type.startsWith("java.lang.invoke.");
  }

  private static boolean isJdk(String type) {
    return JDK.stream().anyMatch(type::startsWith);
  }

  private static String shortName(Place.Frame frame) {
    String type = frame.type().substring(frame.type().lastIndexOf('.') + 1);
    return type.isEmpty() ? frame.method() : type + "." + frame.method();
  }
}
