package io.spillway.examples.access;

/**
 * A request and its answer, no two alike, so that a line of the log tells which request each of its
 * fields is from.
 *
 * @param connection the client's number
 * @param number counts this client's requests
 * @param padding length of its query
 */
record Exchange(int connection, int number, int padding) {
  private static final int[] STATUSES = {200, 201, 403, 404};

  /** What a server does with it: the request as it arrived there. */
  static Exchange of(String path, String query) {
    String[] parts = path.split("/");
    return new Exchange(
        Integer.parseInt(parts[1]), Integer.parseInt(parts[2]), query.length() - "q=".length());
  }

  String uri() {
    return "/" + connection + "/" + number + "?q=" + "x".repeat(padding);
  }

  String referer() {
    return "http://from/" + connection + "/" + number;
  }

  String userAgent() {
    return "agent " + connection + "/" + number;
  }

  int status() {
    return STATUSES[(connection + number) % STATUSES.length];
  }

  byte[] body() {
    return new byte[1 + connection + 10 * number];
  }

  /** The fields of its line that are known beforehand. */
  String logged() {
    return "\"GET %s HTTP/1.1\" %d %d \"%s\" \"%s\""
        .formatted(uri(), status(), body().length, referer(), userAgent());
  }
}
