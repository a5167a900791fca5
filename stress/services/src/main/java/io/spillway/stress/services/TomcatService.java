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
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** A service that is one servlet on an embedded Tomcat with a thread pool of its own. */
abstract class TomcatService extends HttpServlet implements Service {

  private static final long serialVersionUID = 1L;

  private final transient Tomcat tomcat = new Tomcat();
  private final transient Service.Log log;
  private final int lines;
  private transient ExecutorService pool;

  /** Creates a service that logs as many lines for each request as its work says. */
  TomcatService(Service.Log log, Work work) {
    this.log = log;
    lines = work.number("lines", 1);
  }

  final Service start(int threads) throws Exception {
    pool = pool(threads);
    Connector connector = new Connector();
    connector.setPort(0);
    connector.getProtocolHandler().setExecutor(pool);
    connector.setProperty("maxKeepAliveRequests", "-1");
    connector.setProperty("keepAliveTimeout", "-1");
    connector.setProperty("acceptCount", "2000");
    tomcat.setBaseDir(Path.of(System.getProperty("logs")).resolveSibling("tomcat").toString());
    tomcat.setConnector(connector);
    Wrapper wrapper = Tomcat.addServlet(tomcat.addContext("", null), "service", this);
    wrapper.setAsyncSupported(true);
    wrapper.setLoadOnStartup(1);
    wrapper.addMapping("/*");
    tomcat.start();
    return this;
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
  public final int port() {
    return tomcat.getConnector().getLocalPort();
  }

  @Override
  public final void stop() throws Exception {
    tomcat.stop();
    tomcat.destroy(); // with the servlet
    pool.shutdown();
    pool.awaitTermination(1, TimeUnit.MINUTES);
  }

  /** Logs the lines of one request. */
  final void logLines() {
    log.lines(lines);
  }

  /** Answers with a text. */
  static void answer(HttpServletResponse response, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    response.setContentType("text/plain");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }
}
