package io.spillway.process;

import io.spillway.testkit.Configured;
import io.spillway.testkit.Subject;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Logs by itself, or twice in one JVM, to one file that is rolled over all the time. */
public final class TwoWritersChild {
  private TwoWritersChild() {}

  /** Arguments: how (ALONE, CONTEXTS, LOADERS), directory, settings, events, streams. */
  public static void main(String[] arguments) throws Exception {
    List<String> streams = List.of(arguments).subList(4, arguments.length);
    List<Thread> threads = new ArrayList<>();
    for (String stream : streams) {
      String[] own = {"ALONE", arguments[1], arguments[2], arguments[3], stream};
      if (streams.size() == 1) {
        log(own);
      } else {
        threads.add(new Thread(() -> logBeside(own, arguments[0].equals("LOADERS"))));
      }
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.println("done " + streams.size());
  }

  private static void logBeside(String[] arguments, boolean ownLoader) {
    try {
      if (ownLoader) {
        Thread.currentThread().setContextClassLoader(loader());
        loader()
            .loadClass(TwoWritersChild.class.getName())
            .getMethod("main", String[].class)
            .invoke(null, (Object) arguments);
      } else {
        log(arguments);
      }
    } catch (ReflectiveOperationException | java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ClassLoader loader() throws java.io.IOException {
    List<URL> urls = new ArrayList<>();
    for (String path : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
      urls.add(Path.of(path).toUri().toURL());
    }
    return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
  }

  private static void log(String[] arguments) {
    int events = Integer.parseInt(arguments[3]);
    try (Configured configured =
        new Configured(Configured.SPILLWAY, Path.of(arguments[1]), arguments[2])) {
      for (int i = 0; i < events; i++) {
        configured.logger.info("#{}:{}.", arguments[4], i);
        if (i % 500 == 0) {
          configured.awaitDelivered(); // so that both write in turns
        }
      }
      configured.awaitDelivered();
    }
  }

  /** One of two services that spill into one directory: logs behind a shut gate, or delivers. */
  public static final class Service {
    private Service() {}

    /** Arguments: kind, its own directory, that of both, stream, events to log. */
    public static void main(String[] arguments) throws Exception {
      Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), Path.of(arguments[1]));
      subject.settings().setSpillDirectory(arguments[2]);
      int events = Integer.parseInt(arguments[4]);
      if (events > 0) {
        subject.gate.shut();
      }
      subject.start();
      subject.log(arguments[3], 0, events);
      while (events > 0) {
        System.out.println("spilled " + subject.metrics().getSpilled());
        Thread.sleep(10);
      }
      subject.awaitDelivered();
      subject.close();
    }
  }
}
