package io.spillway.jmh;

import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;

/**
 * A context of Log4j 2 whose loggers are all asynchronous. Its classes come from a class loader of
 * their own, with a Disruptor 3: on Spillway's Disruptor 4.0.0, Log4j 2.24 to 2.26 loses events at
 * saturation. The loader shares only SLF4J; it is the same for all contexts, so that the code is
 * compiled once.
 */
final class Log4j2 {
  private static ClassLoader loader; // guarded by the class

  private final Object context;

  /** Starts a context with a configuration. */
  Log4j2(Path configuration) throws Exception {
    System.setProperty("log4j2.asyncLoggerRingBufferSize", "8192");
    context =
        load("log4j.core.async.AsyncLoggerContext")
            .getConstructor(String.class, Object.class, URI.class)
            .newInstance("jmh", null, configuration.toUri());
    context.getClass().getMethod("start").invoke(context);
  }

  Logger logger(String name) throws Exception {
    Object markers = load("slf4j.Log4jMarkerFactory").getConstructor().newInstance();
    Object logger = context.getClass().getMethod("getLogger", String.class).invoke(context, name);
    return (Logger)
        load("slf4j.Log4jLogger").getConstructors()[0].newInstance(markers, logger, name);
  }

  /** Stops the context, after all events are written. */
  void stop() {
    try {
      context.getClass().getMethod("stop").invoke(context);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Loads a class from the jars that the build has put beside this module's classes. */
  private static synchronized Class<?> load(String name) throws Exception {
    if (loader == null) {
      URI own = Log4j2.class.getProtectionDomain().getCodeSource().getLocation().toURI();
      List<URL> jars = new ArrayList<>();
      try (DirectoryStream<Path> files =
          Files.newDirectoryStream(Path.of(own).resolveSibling("log4j2"))) {
        for (Path jar : files) {
          jars.add(jar.toUri().toURL());
        }
      }
      loader = new Isolated(jars);
    }
    return loader.loadClass("org.apache.logging." + name);
  }

  private static final class Isolated extends URLClassLoader {
    Isolated(List<URL> jars) {
      super(jars.toArray(URL[]::new), getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      return name.startsWith("org.slf4j.")
          ? Log4j2.class.getClassLoader().loadClass(name)
          : super.findClass(name);
    }
  }
}
