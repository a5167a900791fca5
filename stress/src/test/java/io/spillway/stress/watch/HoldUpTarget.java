package io.spillway.stress.watch;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.security.SecureRandom;
import java.security.SecureRandomSpi;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * Holds crowds of threads up: in an appender, in {@link SecureRandom}, in a synchronized cache and
 * before a connection pool; and keeps idle workers. Does so from "go" to "release" on its standard
 * input, then says how long its threads were held up; lives until its standard input closes. Run in
 * a JVM of its own, with "platform" or "virtual".
 */
public final class HoldUpTarget {

  static final int CROWD = 100;
  static final int POOL_THREADS = 20;

  private HoldUpTarget() {}

  public static void main(String[] arguments) throws Exception {
    boolean virtual = arguments[0].equals("virtual");
    startIdlePool();
    new Thread(new QueueWorker(), "queue-worker").start();
    Map<String, Consumer<Runnable>> all = new LinkedHashMap<>();
    all.put("logging", logging());
    all.put("random", new SlowRandom());
    all.put("cache", new SlowCache());
    all.put("pool", new ConnectionPool());
    for (Consumer<Runnable> each : all.values()) {
      each.accept(() -> {}); // loads the classes, for which threads would wait, too
    }
    say("ready");
    Scanner commands = new Scanner(System.in);
    while (commands.hasNextLine()) {
      commands.nextLine();
      Map<String, Crowd> crowds = new LinkedHashMap<>();
      for (Map.Entry<String, Consumer<Runnable>> each : all.entrySet()) {
        crowds.put(each.getKey(), new Crowd(CROWD, virtual, each.getValue()));
      }
      crowds.values().forEach(Crowd::start);
      commands.nextLine();
      crowds.values().forEach(Crowd::release);
      StringBuilder done = new StringBuilder("done");
      for (Map.Entry<String, Crowd> each : crowds.entrySet()) {
        done.append(' ').append(each.getKey()).append('=').append(each.getValue().join());
      }
      say(done.toString());
    }
    System.exit(0);
  }

  private static void say(String what) {
    System.out.println(what);
    System.out.flush();
  }

  private static void startIdlePool() throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(POOL_THREADS);
    CountDownLatch all = new CountDownLatch(POOL_THREADS);
    for (int i = 0; i < POOL_THREADS; i++) {
      pool.execute(all::countDown);
    }
    all.await();
  }

  /** Takes from a queue in its own run method, without a pool. */
  private static final class QueueWorker implements Runnable {
    private final LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();

    @Override
    public void run() {
      try {
        while (true) {
          queue.take().run();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static Consumer<Runnable> logging() {
    LoggerContext context = new LoggerContext();
    HoldingAppender appender = new HoldingAppender();
    appender.setContext(context);
    appender.start();
    Logger logger = context.getLogger("held");
    logger.addAppender(appender);
    return inside -> logger.info("held up", inside);
  }

  /** Logback's AppenderBase holds its monitor while it appends. */
  private static final class HoldingAppender extends AppenderBase<ILoggingEvent> {
    @Override
    protected void append(ILoggingEvent event) {
      ((Runnable) event.getArgumentArray()[0]).run();
    }
  }

  /**
   * SecureRandom holds its monitor while a provider works that does not call itself thread-safe.
   */
  private static final class SlowRandom implements Consumer<Runnable> {
    private final Provider provider = new Provider();
    private final SecureRandom random = new Random(provider);

    @Override
    public void accept(Runnable inside) {
      provider.inside = inside;
      random.nextBytes(new byte[1]);
    }

    private static final class Random extends SecureRandom {
      private static final long serialVersionUID = 1;

      private Random(Provider provider) {
        super(provider, null);
      }
    }

    private static final class Provider extends SecureRandomSpi {
      private static final long serialVersionUID = 1;
      private transient volatile Runnable inside;

      @Override
      protected void engineNextBytes(byte[] bytes) {
        inside.run();
      }

      @Override
      protected void engineSetSeed(byte[] seed) {}

      @Override
      protected byte[] engineGenerateSeed(int bytes) {
        return new byte[bytes];
      }
    }
  }

  private static final class SlowCache implements Consumer<Runnable> {
    @Override
    public void accept(Runnable inside) {
      get(inside);
    }

    private synchronized void get(Runnable inside) {
      inside.run();
    }
  }

  /** One connection for all. */
  private static final class ConnectionPool implements Consumer<Runnable> {
    private final ArrayBlockingQueue<String> free =
        new ArrayBlockingQueue<>(1, false, List.of("connection"));

    @Override
    public void accept(Runnable inside) {
      String connection = borrow();
      inside.run();
      free.add(connection);
    }

    private String borrow() {
      try {
        return free.take();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
