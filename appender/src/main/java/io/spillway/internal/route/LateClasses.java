package io.spillway.internal.route;

/**
 * Loads what spilling, reading back and the end need, before that comes. It may come when the jar
 * has been overwritten by the next version, or when the class loader is closed: what is not loaded
 * by then cannot be had, and all that waits would be lost. A thread of its own does it, once in a
 * JVM and a second after the first start: no first log line waits for it, nor does a process that
 * is as short.
 */
final class LateClasses implements Runnable {
  private static volatile boolean begun;

  private LateClasses() {}

  /** A test finds what is missing. No field: it would have to be initialized at the start. */
  private static String[] names() {
    return new String[] {
      "internal.ring.Drainer$Held",
      "internal.sink.EventBatch",
      "internal.sink.ByteBatch",
      "internal.codec.EventCodec$Foreign$Nobody",
      "internal.codec.EventCodec$Foreign",
      "internal.codec.EventCodec",
      "internal.codec.EventBody",
      "internal.codec.ValueCodec",
      "internal.codec.FrameCodec",
      "internal.codec.ThrowableCodec",
      "internal.spill.Spill$Payload",
      "internal.spill.SegmentFormat$RecordHeader",
      "internal.spill.SegmentWriter$Prepended",
      "internal.route.SpillEpisode$Running",
      "internal.metrics.Reports$Status",
      "internal.metrics.PendingAge$Mark",
      "internal.spill.SegmentReader",
      "internal.spill.SpillRecord",
      "internal.spill.Retirement$Item",
      "internal.codec.Input",
      "internal.codec.EventBody$Reader",
      "internal.codec.Dictionary$Reader",
      "internal.codec.MarkerCodec$Reader",
      "internal.codec.ThrowableCodec$Reader",
      "internal.codec.ThrowableCodec$Spilled",
      "internal.codec.SpilledEvent$Time",
      "internal.codec.SpilledEvent$Texts",
      "internal.codec.SpilledEvent",
      "internal.compress.RolledFiles",
      "rolling.ArchivingPolicy",
      "metrics.ArchiveMetrics$Handed",
      "metrics.ArchiveMetrics",
      "metrics.Snapshot$Events",
      "metrics.Snapshot$Blocked",
      "metrics.Snapshot$Acknowledged",
      "metrics.Snapshot$Fill",
      "metrics.Snapshot$Spilling",
      "metrics.Snapshot$Sink",
      "metrics.Snapshot$Workers",
      "metrics.Snapshot",
      "metrics.Health$Status",
      "metrics.Health",
      "internal.route.Joins",
      "Ending$Subject",
      "Ending$Stage",
      "Ending",
    };
  }

  /** By a thread that looks now and then. */
  static void load() {
    if (!begun) {
      Thread thread = new Thread(null, new LateClasses(), "spillway-late-classes", 0, false);
      thread.setDaemon(true);
      thread.setContextClassLoader(null); // it must not keep an application's classes alive
      thread.start();
      begun = true;
    }
  }

  @Override
  public void run() {
    String own = LateClasses.class.getName();
    String root = own.substring(0, own.lastIndexOf("internal.")); // wherever it was moved to
    for (String name : names()) {
      try {
        Class.forName(root.concat(name), true, LateClasses.class.getClassLoader());
      } catch (Throwable gone) {
        Thread.onSpinWait(); // or no memory now: who needs it tries again
      }
    }
  }
}
