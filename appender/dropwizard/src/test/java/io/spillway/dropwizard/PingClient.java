package io.spillway.dropwizard;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One connection that sends a request as soon as the last one is answered. A client library would
 * take more of the machine than the server that is measured.
 */
final class PingClient implements AutoCloseable {
  private static final byte[] REQUEST =
      "GET /ping HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ping\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\nContent-Length: (\\d+)\r\n");
  private static final String HEAD_END = "\r\n\r\n";

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final byte[] answer = new byte[4096];

  PingClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    in = socket.getInputStream();
    out = socket.getOutputStream();
  }

  /** One request, answered with 200. */
  void ping() throws IOException {
    out.write(REQUEST);
    int read = 0;
    int length = Integer.MAX_VALUE;
    while (read < length) {
      int more = in.read(answer, read, answer.length - read);
      if (more < 0) {
        throw new EOFException("the server has closed the connection");
      }
      read += more;
      if (length == Integer.MAX_VALUE) {
        length = lengthOf(new String(answer, 0, read, StandardCharsets.US_ASCII));
      }
    }
  }

  private static int lengthOf(String answer) throws IOException {
    int head = answer.indexOf(HEAD_END);
    if (head < 0) {
      return Integer.MAX_VALUE;
    }
    Matcher length = LENGTH.matcher(answer);
    if (!answer.startsWith("HTTP/1.1 200 ") || !length.find()) {
      throw new IOException("unexpected answer: " + answer);
    }
    return head + HEAD_END.length() + Integer.parseInt(length.group(1));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
