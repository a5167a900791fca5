package io.spillway.stress.services;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.status.Status;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.slf4j.LoggerFactory;

/** One servlet on an embedded Tomcat; stopping it also stops Logback, which flushes its log. */
final class TomcatServer implements Control.Running {

  private final Tomcat tomcat;

  private TomcatServer(Tomcat tomcat) {
    this.tomcat = tomcat;
  }

  static TomcatServer start(int threads, HttpServlet servlet, Work work) throws Exception {
    work.requireKnown();
    requireLog();
    Connector connector = new Connector();
    connector.setPort(0);
    connector.setProperty("maxThreads", Integer.toString(threads));
    connector.setProperty("minSpareThreads", Integer.toString(threads));
    connector.setProperty("maxKeepAliveRequests", "-1");
    connector.setProperty("keepAliveTimeout", "-1");
    connector.setProperty("acceptCount", "2000");
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir("tomcat");
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", null);
    Wrapper wrapper = Tomcat.addServlet(context, "service", servlet);
    wrapper.setAsyncSupported(true);
    wrapper.setLoadOnStartup(1);
    wrapper.addMapping("/*");
    tomcat.start();
    return new TomcatServer(tomcat);
  }

  /**
   * Refuses a log configuration with errors, as figures without a working log would be too good.
   */
  private static void requireLog() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    List<Status> errors =
        context.getStatusManager().getCopyOfStatusList().stream()
            .filter(status -> status.getEffectiveLevel() == Status.ERROR)
            .toList();
    if (!errors.isEmpty()) {
      throw new IllegalArgumentException("the log's configuration has errors: " + errors);
    }
  }

  @Override
  public int port() {
    return tomcat.getConnector().getLocalPort();
  }

  @Override
  public void stop() throws Exception {
    tomcat.getConnector().pause();
    tomcat.stop();
    tomcat.destroy();
    ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
  }

  /** Answers with a text. */
  static void answer(HttpServletResponse response, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    response.setContentType("text/plain");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }
}
