package io.spillway.examples.access;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.access.common.spi.IAccessEvent;
import ch.qos.logback.access.tomcat.LogbackValve;
import ch.qos.logback.core.util.FileSize;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.OldArchives;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example access-tomcat in the conf directory of a Tomcat. */
@Timeout(300)
class TomcatAccessLogTest {
  @TempDir Path base;
  private Path logs;

  @BeforeEach
  void nameLogs() {
    logs = base.resolve("logs");
  }

  @Test
  void shouldLogEachRequestOnceAndInOrderThroughAStallAndARollover() throws Exception {
    serve(Scenario::run).assertLogged();
  }

  @Test
  void shouldKeepWhatTheExampleSays() throws Exception {
    rollOver(OldArchives.beyondHistory(logs, Scenario.ARCHIVES, 30));
    rollOver(OldArchives.beyondCap(logs, Scenario.ARCHIVES, FileSize.valueOf("20GB").getSize()));
  }

  @Test
  void shouldRollOverAtItsSize() throws Exception {
    Scenario.assertRollsOverAt("1GB", logs, this::serve);
  }

  private void rollOver(OldArchives archives) throws Exception {
    serve((scenario, serverPort) -> scenario.rollOver(serverPort, archives));
    archives.removeKept();
  }

  private Scenario serve(Scenario.Visit visit) throws Exception {
    Path conf = Files.createDirectories(base.resolve("conf"));
    Files.copy(
        Path.of("..", "access-tomcat", "logback-access.xml"),
        conf.resolve("logback-access.xml"),
        StandardCopyOption.REPLACE_EXISTING);
    LogbackValve valve = new LogbackValve();
    valve.putProperty("LOG_DIR", logs.toString());
    valve.setQuiet(true);
    Tomcat tomcat = tomcat(valve);
    Scenario scenario;
    try {
      tomcat.start();
      assertThat(valve.getAppender("ACCESS")).isInstanceOf(SpillwayRollingFileAppender.class);
      scenario =
          new Scenario(
              (SpillwayRollingFileAppender<IAccessEvent>) valve.getAppender("ACCESS"),
              valve.getStatusManager(),
              logs);
      visit.to(scenario, tomcat.getConnector().getLocalPort());
    } finally {
      tomcat.stop();
      tomcat.destroy();
      valve.detachAndStopAllAppenders();
    }
    return scenario;
  }

  private Tomcat tomcat(LogbackValve valve) {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(base.toString());
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1"); // a connection for each client
    tomcat.getConnector().setProperty("maxHttpHeaderSize", "" + Scenario.HEADERS);
    tomcat.getHost().getPipeline().addValve(valve);
    Context context = tomcat.addContext("", base.toString());
    Tomcat.addServlet(context, "answers", new Answers()).addMapping("/*");
    return tomcat;
  }

  private static final class Answers extends HttpServlet {
    @Serial private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      Exchange exchange = Exchange.of(request.getRequestURI(), request.getQueryString());
      response.setHeader(Client.PORT_HEADER, String.valueOf(request.getRemotePort()));
      response.setStatus(exchange.status());
      response.setContentLength(exchange.body().length);
      response.getOutputStream().write(exchange.body());
    }
  }
}
