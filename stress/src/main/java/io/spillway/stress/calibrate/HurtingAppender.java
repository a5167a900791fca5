package io.spillway.stress.calibrate;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Delivers no event and, once the warm-up is over, delays the application in one of the ways that
 * show as no wait event of an application thread. It records the number and the time of the delays.
 */
public final class HurtingAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Pause between collections, in collection times: collecting takes a third of the time. */
  private static final int PAUSES_BETWEEN = 2;

  private static final int OBJECT_BYTES = 64;
  private static final double SHARE_OF_HEAP = 0.35;
  private static final long LOCK_EVERY = 5_000; // events
  private static final long LOCKED_NANOS = 200_000_000;
  private static final int BURNERS_PER_PROCESSOR = 100;
  private static final long IDLE_NANOS = 200_000_000;
  private static final double SECOND = 1e9;

  private final AtomicLong events = new AtomicLong();
  private final AtomicLong hurtNanos = new AtomicLong();
  private final AtomicLong times = new AtomicLong();
  private final AtomicLong nextCollection = new AtomicLong();
  private final AtomicBoolean locked = new AtomicBoolean();
  private final List<Thread> burners = new ArrayList<>();
  private volatile long lastEventNanos;
  private byte[][] alive;
  private FileChannel forced; // guarded by this
  private Way way = Way.YIELD;
  private long fromEvent;
  private String report;

  /** The ways to delay the application. */
  private enum Way {
    COLLECT, // requests full collections of a heap of which about 35 % is alive
    YIELD, // acquires a lock in a loop that yields
    FORCE, // forces each line to the disk under a lock, as an appender does that must not lose one
    BURN // occupies all processors with busy threads
  }

  /** Sets the way: collect, yield, force or burn. Default: yield. */
  public void setWay(String name) {
    way = Way.valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** Sets how many application events, those of the warm-up, are not delayed. Default: 0. */
  public void setFromEvent(long events) {
    fromEvent = events;
  }

  /** Sets the file to which the amounts are written at the end. */
  public void setReport(String file) {
    report = file;
  }

  @Override
  public void start() {
    if (way == Way.COLLECT) {
      int objects = (int) (SHARE_OF_HEAP * Runtime.getRuntime().maxMemory() / OBJECT_BYTES);
      alive = new byte[objects][OBJECT_BYTES - 24];
    }
    if (way == Way.BURN) {
      int count = BURNERS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
      for (int i = 0; i < count; i++) {
        burners.add(new Thread(this::burn, "burner-" + i));
        burners.get(i).setDaemon(true);
      }
    }
    super.start();
    burners.forEach(Thread::start);
  }

  @Override
  protected void append(ILoggingEvent event) {
    boolean application = event.getThreadName().startsWith("app-");
    long number = application ? events.getAndIncrement() - fromEvent : -1;
    if (number < 0) {
      return;
    }
    switch (way) {
      case COLLECT -> collect();
      case YIELD -> lockByYield(number);
      case FORCE -> force(event);
      case BURN -> lastEventNanos = System.nanoTime();
    }
  }

  private void collect() {
    long now = System.nanoTime();
    long next = nextCollection.get();
    if (now >= next && nextCollection.compareAndSet(next, Long.MAX_VALUE)) {
      System.gc();
      long took = hurt(now);
      nextCollection.set(System.nanoTime() + PAUSES_BETWEEN * took);
    }
  }

  private void lockByYield(long number) {
    long start = System.nanoTime();
    while (!locked.compareAndSet(false, true)) {
      Thread.yield();
    }
    if (number % LOCK_EVERY == 0) {
      long end = System.nanoTime() + LOCKED_NANOS;
      while (System.nanoTime() < end) {
        Thread.onSpinWait();
      }
    }
    locked.set(false);
    hurt(start);
  }

  private synchronized void force(ILoggingEvent event) {
    try {
      if (forced == null) {
        forced = FileChannel.open(Path.of(report + ".forced"), CREATE, WRITE);
      }
      String line = event.getFormattedMessage() + "\n";
      forced.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
      long start = System.nanoTime();
      forced.force(false);
      hurt(start);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long hurt(long startNanos) {
    long took = System.nanoTime() - startNanos;
    hurtNanos.addAndGet(took);
    times.incrementAndGet();
    return took;
  }

  /** Occupies a processor while events arrive; sleeps while none do. */
  private void burn() {
    while (isStarted()) {
      long last = lastEventNanos;
      if (last == 0 || System.nanoTime() - last > IDLE_NANOS) {
        LockSupport.parkNanos(IDLE_NANOS / 10);
      }
    }
  }

  @Override
  public void stop() {
    if (!isStarted()) {
      return;
    }
    for (Thread burner : burners) {
      hurtNanos.addAndGet(Math.max(0, THREADS.getThreadCpuTime(burner.getId())));
      times.incrementAndGet();
    }
    super.stop();
    try {
      Map<String, Number> hurt = Map.of("times", times, "seconds", hurtNanos.get() / SECOND);
      new ObjectMapper().writeValue(Path.of(report).toFile(), hurt);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
