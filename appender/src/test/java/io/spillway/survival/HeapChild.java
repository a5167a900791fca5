package io.spillway.survival;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import io.spillway.internal.route.HandOff;
import io.spillway.internal.route.Joins;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Subject;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Logs in a heap that is too small, for what its events hold or for what others do. */
public final class HeapChild {
  private static final int DEEP_EVENTS = 4_000; // of much more than the heap holds
  private static final int HEAVY_EVENTS = 20_000;

  private static final int FREED_BYTES = 1 << 16;

  private static final int BATCHES = 20;
  private static final int BATCH = 50;

  private static volatile Object[] hogged;

  private HeapChild() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments[1].equals("FULL")) {
      fullHeaps(Path.of(arguments[0]), Integer.parseInt(arguments[2]));
      return;
    }
    if (arguments[1].equals("HAND_OFF")) {
      handOff(Integer.parseInt(arguments[2]));
      return;
    }
    if (arguments[1].equals("STOP")) {
      fullAtStop(Path.of(arguments[0]), Integer.parseInt(arguments[2]));
      return;
    }
    if (arguments[1].equals("STOP_FULL")) {
      fullToTheLastWordAtStop(Path.of(arguments[0]), Subject.Kind.valueOf(arguments[2]));
      return;
    }
    if (arguments[1].equals("RESTART")) {
      restartAfterAFullHeap(Path.of(arguments[0]));
      return;
    }
    if (arguments[1].equals("EXIT_FULL")) {
      fullToTheLastWordAtExit(Path.of(arguments[0]), Subject.Kind.valueOf(arguments[2]));
      return;
    }
    if (arguments[1].equals("EXCEPTIONS")) {
      deepExceptions(Path.of(arguments[0]));
      return;
    }
    if (arguments[1].equals("LARGE_FILE")) {
      largeToFile(Path.of(arguments[0]));
      return;
    }
    GatedAppender nested = new GatedAppender();
    AtomicLong taken = new AtomicLong();
    nested.handTo(message -> taken.incrementAndGet());
    try (Rig rig = new Rig(Path.of(arguments[0]), nested).start()) {
      if (arguments[1].equals("HEAVY")) {
        heavyArguments(rig, nested);
      } else if (arguments[1].equals("LARGE")) {
        System.out.println("logged " + logLarge(rig.logger));
      } else {
        shortages(rig, nested, Integer.parseInt(arguments[2]));
      }
      rig.awaitDelivered();
      SpillwayMetrics metrics = rig.appender.getMetrics();
      awaitSetAside(metrics);
      System.out.println("accepted " + metrics.getAccepted());
      System.out.println("delivered " + metrics.getDelivered());
      System.out.println("lost " + metrics.getLost());
      System.out.println("taken " + taken);
      System.out.println(metrics.getLossByCause());
      System.out.println("failures " + metrics.getWorkerFailures());
      System.out.println("done 1");
    }
  }

  /** The first batches come when little memory is left, if any. */
  private static void handOff(int freeBytes) {
    HandOff handOff = new HandOff(1 << 20);
    Batch batch = new ByteBatch(new byte[10], 1);
    byte[] reserve = new byte[freeBytes];
    fill();
    reserve = null;
    int placed = 0;
    for (int i = 0; i < 4; i++) {
      try {
        placed += handOff.offer(batch) ? 1 : 0;
      } catch (OutOfMemoryError again) {
        continue;
      }
    }
    hogged = null;
    System.out.println("placed " + placed);
    System.out.println("bytes " + handOff.bytes() / batch.heapBytes());
    int held = 0;
    for (; handOff.take() != null; held++) {
      handOff.remove();
    }
    System.out.println("held " + held);
  }

  /** Little memory is left when an appender is stopped whose sink hangs. */
  private static void fullAtStop(Path directory, int freeBytes) {
    GatedAppender nested = new GatedAppender();
    try (Rig first = new Rig(directory.resolveSibling("first"), nested).start()) {
      logBatches(first, nested); // what an end needs for the first time it has from here
    }
    nested = new GatedAppender();
    Rig rig = new Rig(directory, nested).start();
    logBatches(rig, nested);
    byte[] reserve = new byte[freeBytes];
    fill();
    reserve = null;
    try {
      rig.appender.stop();
    } catch (OutOfMemoryError tellingIt) {
      // of its caller; what saves the events is another thread
    }
    hogged = null;
    AtomicLong taken = new AtomicLong();
    GatedAppender other = new GatedAppender();
    other.handTo(message -> taken.incrementAndGet());
    try (Rig next = new Rig(directory, other).start()) {
      next.await("all events", () -> taken.get() >= BATCHES * BATCH);
      System.out.println("taken " + taken);
    }
    System.out.println("done 1");
  }

  /** The heap stays full for as long as {@code stop()} takes. */
  private static void fullToTheLastWordAtStop(Path directory, Subject.Kind kind) {
    Subject subject = stuck(directory, kind, "1 milliseconds");
    boolean returned = true;
    fill();
    try {
      subject.appender().stop();
    } catch (OutOfMemoryError noMemory) {
      returned = false;
    }
    hogged = null;
    System.out.println("returned " + (returned ? 1 : 0));
    System.out.println("started " + (subject.appender().isStarted() ? 1 : 0));
    awaitEnding(subject);
  }

  /** Nothing waits when the appender is stopped in a full heap, and it is started again later. */
  private static void restartAfterAFullHeap(Path directory) {
    growThreadGroup();
    Subject subject = new Subject(Subject.Kind.OWN_FILE, directory.resolve("app")).start();
    subject.log("0", 0, BATCH);
    subject.awaitDelivered();
    fill();
    try {
      subject.appender().stop();
    } catch (OutOfMemoryError noMemory) {
      // of its caller
    }
    hogged = null;
    awaitEnding(subject);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    do { // the deliverer may still have to close the file
      subject.restart();
    } while (!subject.appender().isStarted() && deadline - System.nanoTime() > 0);
    subject.log("0", BATCH, 2 * BATCH);
    subject.isDelivered(Duration.ofSeconds(30));
    System.out.println("lines " + subject.lines().size());
  }

  /**
   * The heap is full when the appender's hook begins, and until the thread works that it starts. It
   * is not run by an exit, for which the JVM itself needs memory.
   */
  private static void fullToTheLastWordAtExit(Path directory, Subject.Kind kind) throws Exception {
    Subject subject = stuck(directory, kind, "1 milliseconds");
    Field hooks = Class.forName("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks");
    hooks.setAccessible(true);
    Thread hook =
        ((Map<?, ?>) hooks.get(null))
            .keySet().stream()
                .map(Thread.class::cast)
                .filter(each -> each.getName().equals("spillway-exit-" + kind))
                .findFirst()
                .orElseThrow();
    Thread ending = (Thread) field(field(subject.appender(), "pipeline"), "ending");
    try {
      fill();
      hook.start();
      while (hook.isAlive() && !ending.isAlive()) {
        LockSupport.parkNanos(1_000_000);
      }
    } finally {
      hogged = null;
    }
    Joins.until(hook, System.nanoTime() + TimeUnit.SECONDS.toNanos(60));
    awaitEnding(subject);
    Runtime.getRuntime().halt(0);
  }

  private static Object field(Object owner, String name) throws ReflectiveOperationException {
    for (Class<?> type = owner.getClass(); type != Object.class; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field.get(owner);
        }
      }
    }
    throw new NoSuchFieldException(name);
  }

  /** Its sink is stuck, and memory holds 1,000 events; another has ended like that before. */
  private static Subject stuck(Path directory, Subject.Kind kind, String maxFlushTime) {
    growThreadGroup();
    Subject subject = null;
    for (String name : List.of("first", "app")) {
      if (subject != null) {
        subject.appender().stop();
      }
      Subject next = new Subject(kind, directory.resolve(name));
      next.settings().setMemoryBuffer("8 MB");
      next.settings().setMaxFlushTime(maxFlushTime);
      next.gate.shut();
      next.start();
      for (int batch = 0; batch < BATCHES; batch++) {
        next.log("0", batch * BATCH, (batch + 1) * BATCH);
        while (next.metrics().getRingUsed() > 0 || !next.gate.isHolding()) {
          LockSupport.parkNanos(100_000);
        }
      }
      subject = next;
    }
    return subject;
  }

  /** JDK 17 keeps a group's threads in an array, and needs memory to start one more than it has. */
  private static void growThreadGroup() {
    CountDownLatch grown = new CountDownLatch(1);
    for (int i = 0; i < 40; i++) {
      Thread thread = new Thread(() -> await(grown), "growing");
      thread.setDaemon(true);
      thread.start();
    }
    grown.countDown();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void awaitEnding(Subject subject) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (thread("spillway-stop") != null && deadline - System.nanoTime() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
    System.out.println("spilled " + subject.metrics().getSpilled());
    System.out.println("lost " + subject.metrics().getLost());
    System.out.println("done 1");
  }

  private static Thread thread(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(prefix))
        .findFirst()
        .orElse(null);
  }

  private static void logBatches(Rig rig, GatedAppender nested) {
    nested.shut();
    for (int batch = 0; batch < BATCHES; batch++) {
      for (int i = 0; i < BATCH; i++) {
        rig.logger.info("number {}", i);
      }
      rig.await("a batch", () -> rig.appender.getMetrics().getRingUsed() == 0);
    }
  }

  /** A record that could not be read for want of memory is tried again after half a minute. */
  private static void awaitSetAside(SpillwayMetrics metrics) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
    while (metrics.getPending() > 0 && deadline - System.nanoTime() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** When the drainer has an OutOfMemoryError in hand there is not even memory to tell of it. */
  private static void fullHeaps(Path directory, int rounds) throws Exception {
    FillingEncoder encoder = new FillingEncoder();
    FileRig rig = new FileRig(directory.resolve("app.log")).spill(directory.resolve("spill"));
    try (rig) {
      rig.encoder(encoder).start().log(1_000);
      rig.awaitDelivered();
      Thread drainer = encoder.thread;
      for (int round = 0; round < rounds; round++) {
        fillOnce(rig, encoder);
        Thread logging = new Thread(() -> rig.log(2 * HEAVY_EVENTS), "logging");
        logging.setDaemon(true);
        logging.start();
        logging.join(30_000);
        if (logging.isAlive()) {
          throw new IllegalStateException("log calls wait in round " + round);
        }
        rig.awaitDelivered();
      }
      System.out.println("replaced " + (encoder.thread == drainer ? 0 : 1));
      System.out.println("accepted " + rig.metrics().getAccepted());
      System.out.println("delivered " + rig.metrics().getDelivered());
      System.out.println("lost " + rig.metrics().getLost());
      try (Stream<String> lines = Files.lines(rig.file)) {
        System.out.println("taken " + lines.count());
      }
      System.out.println("done 1");
    }
  }

  /** Nothing here or in the encoder needs memory until the heap is free again. */
  private static void fillOnce(FileRig rig, FillingEncoder encoder) {
    encoder.isFull = false;
    encoder.fills = true;
    rig.logger.info("fills the heap");
    while (!encoder.isFull) {
      LockSupport.parkNanos(1_000_000);
    }
    long end = System.nanoTime() + 500_000_000L; // in which the drainer fails and tells of it
    while (end - System.nanoTime() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
    hogged = null;
  }

  /** Takes all memory, to the last word, in the thread that encodes, and fails for want of it. */
  private static final class FillingEncoder extends EncoderBase<ILoggingEvent> {
    private volatile boolean fills;
    private volatile boolean isFull;
    private volatile Thread thread;

    @Override
    public byte[] encode(ILoggingEvent event) {
      thread = Thread.currentThread();
      if (fills) {
        fills = false;
        OutOfMemoryError full = fill();
        isFull = true;
        throw full;
      }
      return (event.getFormattedMessage() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] headerBytes() {
      return null;
    }

    @Override
    public byte[] footerBytes() {
      return null;
    }
  }

  /** Takes all memory, to the last word. */
  private static OutOfMemoryError fill() {
    int size = 1 << 17;
    while (true) {
      try {
        Object[] more = new Object[size];
        more[0] = hogged;
        hogged = more;
      } catch (OutOfMemoryError full) {
        if (size == 1) {
          return full;
        }
        size /= 2;
      }
    }
  }

  /** 100 KB each, and a short text. */
  private static final class Heavy {
    private final byte[] held = new byte[100_000];

    @Override
    public String toString() {
      return "heavy" + held[0];
    }
  }

  private static void heavyArguments(Rig rig, GatedAppender nested) {
    nested.shut();
    for (int i = 0; i < HEAVY_EVENTS; i++) {
      rig.logger.info("{}", new Heavy());
    }
    nested.open();
  }

  /** Of one to two hundred causes each, as many as the ring has slots and more. */
  private static void deepExceptions(Path directory) {
    GatedAppender nested = new GatedAppender();
    AtomicLong taken = new AtomicLong();
    nested.handTo(message -> taken.incrementAndGet());
    Rig rig = new Rig(directory, nested);
    rig.appender.setMaxSpillSize("1 MB");
    rig.appender.setMemoryBuffer("2 MB");
    rig.appender.setWhenFull("DROP");
    try (Rig started = rig.start()) {
      nested.shut();
      for (int i = 0; i < DEEP_EVENTS; i++) {
        Exception deep = new IllegalStateException("first");
        for (int depth = 0; depth < 100 + i % 100; depth++) {
          deep = new IllegalStateException("of depth", deep);
        }
        started.logger.info("number {}", i, deep);
      }
      nested.open();
      started.awaitDelivered();
      SpillwayMetrics metrics = started.appender.getMetrics();
      System.out.println("calls " + (metrics.getAccepted() + metrics.getDropped()));
      System.out.println("failures " + metrics.getWorkerFailures());
      System.out.println("lost " + metrics.getLost());
      System.out.println("accepted " + metrics.getAccepted());
      System.out.println("taken " + taken);
    }
  }

  private static void largeToFile(Path directory) throws Exception {
    try (FileRig rig = new FileRig(directory.resolve("app.log")).start()) {
      System.out.println("logged " + logLarge(rig.logger));
      rig.awaitDelivered();
      System.out.println("delivered " + rig.metrics().getDelivered());
      System.out.println("lost " + rig.metrics().getLost());
      try (InputStream log = Files.newInputStream(rig.file)) {
        byte[] block = new byte[1 << 16];
        int lines = 0;
        for (int read = log.read(block); read >= 0; read = log.read(block)) {
          for (int i = 0; i < read; i++) {
            lines += block[i] == '\n' ? 1 : 0;
          }
        }
        System.out.println("taken " + lines);
      }
      System.out.println("done 1");
    }
  }

  /** Returns how many log calls returned; the others had no memory for their own message. */
  private static long logLarge(Logger logger) throws InterruptedException {
    AtomicLong logged = new AtomicLong();
    String large = "x".repeat(200_000);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread thread = new Thread(() -> logLarge(logger, large, logged), "logging-" + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return logged.get();
  }

  private static void logLarge(Logger logger, String large, AtomicLong logged) {
    for (int i = 0; i < 600; i++) {
      try {
        logger.info("number {} {}", i, large);
        logged.incrementAndGet();
      } catch (OutOfMemoryError full) {
        LockSupport.parkNanos(20_000_000);
      }
    }
  }

  /** Others take all of the heap for a while, again and again, until the workers have met it. */
  private static void shortages(Rig rig, GatedAppender nested, int rounds) throws Exception {
    SpillwayMetrics metrics = rig.appender.getMetrics();
    rig.logger.info("loads what the JDK has to initialize once");
    for (int round = 0; round < rounds || metrics.getWorkerFailures() == 0; round++) {
      nested.shut();
      Thread logging = new Thread(() -> logAll(rig), "logging");
      logging.setDaemon(true);
      logging.start();
      hog();
      nested.open();
      logging.join(30_000);
      if (logging.isAlive()) {
        throw new IllegalStateException("log calls wait in round " + round);
      }
    }
  }

  private static void hog() {
    long end = System.nanoTime() + 300_000_000L;
    while (end - System.nanoTime() > 0) {
      fill();
      Object[] rest = hogged;
      for (int freed = 0; freed < FREED_BYTES; freed += Integer.BYTES * rest.length) {
        rest = (Object[]) rest[0];
      }
      hogged = rest; // as much is there again, for whoever is first
    }
    hogged = null;
  }

  private static void logAll(Rig rig) {
    for (int i = 0; i < HEAVY_EVENTS; i++) {
      try {
        rig.logger.info("number {} of {}", i, "x".repeat(500));
      } catch (OutOfMemoryError full) {
        LockSupport.parkNanos(1_000_000); // Logback's own, or the message's
      }
    }
  }
}
