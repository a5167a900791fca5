package io.spillway.stress.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One tab of a headless Chromium, told over the DevTools protocol how large its screen is and
 * whether it is dark, and asked what is in the page. For one thread; messages come on another.
 */
public final class BrowserTab implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 120;
  private static final long LOOK_MILLIS = 20;
  private static final int MOBILE_WIDTH = 600;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Charts fit themselves to their place before the second frame from now. */
  private static final String NEXT_FRAMES =
      "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";

  private final Process process;
  private final WebSocket socket;
  private final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
  private final List<String> complaints = new ArrayList<>();
  private int lastId;

  private BrowserTab(Process process, URI address) {
    this.process = process;
    socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .buildAsync(address, new Listener())
            .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
            .join();
  }

  /** Waits until the browser says where it listens, which it does in its profile. */
  static BrowserTab of(Process process, Path profile) throws IOException, InterruptedException {
    try {
      Path port = profile.resolve("DevToolsActivePort");
      long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      while (!Files.exists(port) || Files.readAllLines(port).size() < 2) {
        if (!process.isAlive() || System.nanoTime() > giveUp) {
          throw new IOException("Chromium does not listen");
        }
        Thread.sleep(LOOK_MILLIS);
      }
      URI targets =
          URI.create("http://127.0.0.1:" + Files.readAllLines(port).get(0) + "/json/list");
      String found =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(targets).build(), HttpResponse.BodyHandlers.ofString())
              .body();
      for (JsonNode target : MAPPER.readTree(found)) {
        if (target.path("type").asText().equals("page")) {
          BrowserTab tab =
              new BrowserTab(process, URI.create(target.path("webSocketDebuggerUrl").asText()));
          tab.call("Runtime.enable", MAPPER.createObjectNode());
          tab.call("Log.enable", MAPPER.createObjectNode());
          tab.call("Page.enable", MAPPER.createObjectNode());
          return tab;
        }
      }
      throw new IOException("Chromium has no tab: " + found);
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** A screen of so many pixels; a narrow one is a phone's. */
  public BrowserTab screen(int width, int height) throws IOException, InterruptedException {
    ObjectNode metrics = MAPPER.createObjectNode().put("width", width).put("height", height);
    metrics.put("deviceScaleFactor", 1).put("mobile", width < MOBILE_WIDTH);
    call("Emulation.setDeviceMetricsOverride", metrics);
    return this;
  }

  /** What {@code prefers-color-scheme} says from now on, also to the page that is open. */
  public BrowserTab dark(boolean dark) throws IOException, InterruptedException {
    ObjectNode media = MAPPER.createObjectNode();
    media
        .putArray("features")
        .addObject()
        .put("name", "prefers-color-scheme")
        .put("value", dark ? "dark" : "light");
    call("Emulation.setEmulatedMedia", media);
    evaluate(NEXT_FRAMES); // by then the page has been told
    return this;
  }

  /** Opens a page; returns when its scripts have run and its charts have their size. */
  public BrowserTab open(Path page) throws IOException, InterruptedException {
    complaints.clear();
    int id = send("Page.navigate", MAPPER.createObjectNode().put("url", page.toUri().toString()));
    boolean loaded = false;
    boolean answered = false;
    while (!loaded || !answered) {
      JsonNode message = next();
      answered |= message.path("id").asInt() == id;
      loaded |= message.path("method").asText().equals("Page.loadEventFired");
    }
    evaluate(NEXT_FRAMES);
    return this;
  }

  /** The value of an expression in the page, promises awaited. */
  public JsonNode evaluate(String expression) throws IOException, InterruptedException {
    ObjectNode parameters = MAPPER.createObjectNode().put("expression", expression);
    parameters.put("returnByValue", true).put("awaitPromise", true);
    JsonNode answer = call("Runtime.evaluate", parameters);
    if (answer.has("exceptionDetails")) {
      throw new IOException("the page threw " + answer.path("exceptionDetails"));
    }
    return answer.path("result").path("value");
  }

  /** Exceptions of the open page's scripts and whatever came to its console. */
  public List<String> complaints() throws IOException, InterruptedException {
    evaluate(NEXT_FRAMES);
    return List.copyOf(complaints);
  }

  private JsonNode call(String method, ObjectNode parameters)
      throws IOException, InterruptedException {
    int id = send(method, parameters);
    JsonNode message = next();
    while (message.path("id").asInt() != id) {
      message = next();
    }
    if (message.has("error")) {
      throw new IOException(method + ": " + message.path("error"));
    }
    return message.path("result");
  }

  private int send(String method, ObjectNode parameters) {
    lastId++;
    ObjectNode message = MAPPER.createObjectNode().put("id", lastId).put("method", method);
    message.set("params", parameters);
    socket.sendText(message.toString(), true).join();
    return lastId;
  }

  private JsonNode next() throws IOException, InterruptedException {
    JsonNode message = messages.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (message == null) {
      throw new IOException("Chromium does not answer");
    }
    switch (message.path("method").asText()) {
      case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded" ->
          complaints.add(message.path("params").toString());
      default -> {}
    }
    return message;
  }

  @Override
  public void close() {
    socket.abort();
    process.destroy();
    try {
      if (process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        try {
          messages.add(MAPPER.readTree(text.toString()));
        } catch (IOException e) {
          messages.add(
              MAPPER.createObjectNode().put("method", "Log.entryAdded").put("params", "" + e));
        }
        text.setLength(0);
      }
      from.request(1);
      return null;
    }
  }
}
