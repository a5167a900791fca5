package io.spillway.stress.services;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.load.Service;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;

/**
 * {@code POST}: stores an event in JSON; a call of the store blocks the calling thread, and the
 * pool limits the number of connections. Each request thread calls the store for its event, or,
 * with {@code batch}, sender threads call it for a batch of events.
 */
final class Ingest extends TomcatService {

  private static final long serialVersionUID = 1L;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final transient Semaphore pool;
  private final transient BlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>();
  private final int batch;
  private final int storeMicros;

  /** An event that waits for its batch. */
  private record Waiting(String id, AsyncContext request) {}

  Ingest(Service.Log log, Work work) {
    super(log, work);
    int connections = Math.max(1, work.number("pool", 64));
    pool = new Semaphore(connections);
    storeMicros = work.number("storeMicros", 20_000);
    batch = work.number("batch", 0);
    for (int i = 0; batch > 0 && i < connections; i++) {
      Thread sender = new Thread(this::send, LoadSpec.APPLICATION_THREAD + "sender-" + i);
      sender.setDaemon(true);
      sender.start();
    }
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    JsonNode event = MAPPER.readTree(request.getInputStream());
    String id = event.get("id").asText();
    if (batch > 0) {
      AsyncContext later = request.startAsync();
      later.setTimeout(0);
      waiting.add(new Waiting(id, later));
      return;
    }
    pool.acquireUninterruptibly();
    try {
      Work.block(storeMicros);
    } finally {
      pool.release();
    }
    logLines();
    answer(response, id);
  }

  /** Runs one connection: takes waiting events, stores them in one call, answers their requests. */
  private void send() {
    List<Waiting> events = new ArrayList<>();
    try {
      while (true) {
        events.add(waiting.take());
        waiting.drainTo(events, batch - 1);
        Work.block(storeMicros);
        for (Waiting event : events) {
          logLines();
          answer(event);
        }
        events.clear();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Answers a request; a client that has closed its connection gets no answer. */
  private static void answer(Waiting event) {
    try {
      answer((HttpServletResponse) event.request.getResponse(), event.id);
      event.request.complete();
    } catch (IOException | IllegalStateException e) {
      System.err.println("not answered: " + e);
    }
  }
}
