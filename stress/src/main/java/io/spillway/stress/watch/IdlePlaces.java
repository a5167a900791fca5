package io.spillway.stress.watch;

import java.util.Set;

/**
 * Frames below which a pool, queue or collector waits for its next piece of work. None that also
 * runs a piece of work may be one of them, such as {@code java.util.TimerThread.mainLoop}.
 */
final class IdlePlaces {

  private static final Set<String> FRAMES =
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
          "org.eclipse.jetty.util.thread.QueuedThreadPool.join",
          "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.reservedWait",
          "io.netty.util.concurrent.SingleThreadEventExecutor.takeTask",
          "io.netty.util.concurrent.GlobalEventExecutor.takeTask",
          "io.netty.util.HashedWheelTimer$Worker.waitForNextTick",
          "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker.park",
          "io.spillway.ring.Sleeper.sleepWhile",
          "io.spillway.route.Worker.pause");

  private static final String DISRUPTOR_CONSUMER = "WaitStrategy";

  private IdlePlaces() {}

  static boolean contains(Frame frame) {
    return FRAMES.contains(frame.toString())
        || (frame.method().equals("waitFor") && frame.type().endsWith(DISRUPTOR_CONSUMER));
  }
}
