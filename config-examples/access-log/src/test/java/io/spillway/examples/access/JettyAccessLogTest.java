package io.spillway.examples.access;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.access.common.spi.IAccessEvent;
import ch.qos.logback.access.jetty.RequestLogImpl;
import ch.qos.logback.core.util.FileSize;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.OldArchives;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example access-jetty as the request log of a Jetty. */
@Timeout(300)
class JettyAccessLogTest {
  @TempDir Path logs;

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
    RequestLogImpl requestLog = new RequestLogImpl();
    requestLog.putProperty("LOG_DIR", logs.toString());
    requestLog.setFileName(Path.of("..", "access-jetty", "logback-access.xml").toString());
    requestLog.setQuiet(true);
    Server server = new Server();
    HttpConfiguration http = new HttpConfiguration();
    http.setRequestHeaderSize(Scenario.HEADERS);
    ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
    server.addConnector(connector);
    server.setRequestLog(requestLog);
    server.setHandler(new Answers());
    Scenario scenario;
    try {
      server.start();
      assertThat(requestLog.getAppender("ACCESS")).isInstanceOf(SpillwayRollingFileAppender.class);
      scenario =
          new Scenario(
              (SpillwayRollingFileAppender<IAccessEvent>) requestLog.getAppender("ACCESS"),
              requestLog.getStatusManager(),
              logs);
      visit.to(scenario, connector.getLocalPort());
    } finally {
      server.stop();
    }
    return scenario;
  }

  private static final class Answers extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      Exchange exchange =
          Exchange.of(request.getHttpURI().getPath(), request.getHttpURI().getQuery());
      response.getHeaders().put(Client.PORT_HEADER, Request.getRemotePort(request));
      response.setStatus(exchange.status());
      response.write(true, ByteBuffer.wrap(exchange.body()), callback);
      return true;
    }
  }
}
