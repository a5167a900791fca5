package io.spillway.examples.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** One connection, kept alive, with one request at a time. Not thread-safe. */
final class Client {
  /** The header in which a server says which of its client's ports a request came from. */
  static final String PORT_HEADER = "X-Client-Port";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final int number;
  private final int serverPort;
  private final List<Exchange> exchanges = new ArrayList<>();
  private final Set<String> ports = new HashSet<>();

  Client(int number, int serverPort) {
    this.number = number;
    this.serverPort = serverPort;
  }

  void send(int requests, int padding) throws IOException, InterruptedException {
    for (int i = 0; i < requests; i++) {
      Exchange exchange = new Exchange(number, exchanges.size(), padding);
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + serverPort + exchange.uri()))
              .header("Referer", exchange.referer())
              .header("User-Agent", exchange.userAgent())
              .build();
      HttpResponse<byte[]> response = http.send(request, BodyHandlers.ofByteArray());
      assertThat(response.statusCode()).isEqualTo(exchange.status());
      assertThat(response.body()).hasSize(exchange.body().length);
      exchanges.add(exchange);
      ports.add(response.headers().firstValue(PORT_HEADER).orElseThrow());
    }
  }

  /** What it sent, in order; fails if it took more than one connection for it. */
  List<Exchange> exchanges() {
    assertThat(ports).as("ports of client " + number).hasSize(1);
    return List.copyOf(exchanges);
  }
}
