package io.spillway.stress.services;

import io.spillway.stress.load.Service;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;

/**
 * {@code GET /N}: lets an actor push a message, and answers afterwards. An actor is a thread with a
 * mailbox; the messages of a customer go to the same actor, in order.
 */
final class PushFront extends TomcatService {

  private static final long serialVersionUID = 1L;

  private final transient List<ExecutorService> actors;
  private final int pushMicros;

  PushFront(Service.Log log, Work work) {
    super(log, work);
    pushMicros = work.number("pushMicros", 0);
    actors = Stream.generate(() -> pool(1)).limit(work.number("actors", 300)).toList();
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException, ServletException {
    String number = request.getRequestURI().substring(1);
    ExecutorService actor = actors.get((int) (Long.parseLong(number) % actors.size()));
    try {
      answer(response, actor.submit(() -> push(number)).get());
    } catch (ExecutionException e) {
      throw new ServletException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServletException(e);
    }
  }

  private String push(String number) {
    Work.block(pushMicros);
    logLines();
    return "pushed " + number;
  }
}
