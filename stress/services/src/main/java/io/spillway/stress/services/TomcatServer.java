package io.spillway.stress.services;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.load.Service;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/**
 * One servlet on an embedded Tomcat, with a thread pool of its own, whose threads are named as
 * application threads.
 */
record TomcatServer(Tomcat tomcat, ExecutorService pool) implements Service {

  private static final long STOP_SECONDS = 60;

  static Service start(int threads, HttpServlet servlet, Work work) throws Exception {
    work.requireKnown();
    ExecutorService pool = pool(threads);
    Connector connector = new Connector();
    connector.setPort(0);
    connector.getProtocolHandler().setExecutor(pool);
    connector.setProperty("maxKeepAliveRequests", "-1");
    connector.setProperty("keepAliveTimeout", "-1");
    connector.setProperty("acceptCount", "2000");
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(Path.of(System.getProperty("logs")).resolveSibling("tomcat").toString());
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", null);
    Wrapper wrapper = Tomcat.addServlet(context, "service", servlet);
    wrapper.setAsyncSupported(true);
    wrapper.setLoadOnStartup(1);
    wrapper.addMapping("/*");
    tomcat.start();
    return new TomcatServer(tomcat, pool);
  }

  /** Creates a pool of threads that are recognized as application threads. */
  static ExecutorService pool(int threads) {
    AtomicInteger number = new AtomicInteger();
    return Executors.newFixedThreadPool(
        threads,
        task -> {
          Thread thread = new Thread(task, LoadSpec.APPLICATION_THREAD + number.getAndIncrement());
          thread.setDaemon(true);
          return thread;
        });
  }

  @Override
  public int port() {
    return tomcat.getConnector().getLocalPort();
  }

  @Override
  public void stop() throws Exception {
    tomcat.stop();
    tomcat.destroy(); // with the servlet
    pool.shutdown();
    pool.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
  }

  /** Answers with a text. */
  static void answer(HttpServletResponse response, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    response.setContentType("text/plain");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }
}
