package io.spillway.stress.services;

import io.spillway.stress.load.ServiceLog;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;

/**
 * {@code GET /N}: lets an actor push a message, and answers afterwards. An actor is a thread with a
 * mailbox; the messages of a customer go to the same actor, in order.
 */
final class PushFront extends HttpServlet {

  private static final long serialVersionUID = 1L;

  private final transient List<ExecutorService> actors = new ArrayList<>();
  private final transient ServiceLog log;
  private final int lines;
  private final int pushMicros;

  PushFront(ServiceLog log, Work work) {
    this.log = log;
    lines = work.lines();
    pushMicros = work.number("pushMicros", 0);
    for (int i = work.number("actors", 300); i > 0; i--) {
      actors.add(TomcatServer.pool(1));
    }
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException, ServletException {
    String number = request.getRequestURI().substring(1);
    ExecutorService actor = actors.get((int) (Long.parseLong(number) % actors.size()));
    CompletableFuture<String> pushed = CompletableFuture.supplyAsync(() -> push(number), actor);
    try {
      TomcatServer.answer(response, pushed.get());
    } catch (ExecutionException e) {
      throw new ServletException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServletException(e);
    }
  }

  private String push(String number) {
    if (pushMicros > 0) {
      Stub.call(pushMicros);
    }
    log.lines(lines);
    return "pushed " + number;
  }
}
