package io.spillway.stress.service;

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
 * One persistent HTTP connection over a plain socket. A client library would use more of the
 * machine than the service that is measured.
 */
final class HttpConnection implements AutoCloseable {

  private static final Pattern LENGTH = Pattern.compile("(?i)\r\nContent-Length: (\\d+)\r\n");
  private static final String HEAD_END = "\r\n\r\n";
  private static final int CUSTOMERS = 9_973;
  private static final String EVENT =
      "{\"id\":\"%d\",\"type\":\"page-view\",\"customer\":%d,\"device\":\"phone\","
          + "\"page\":\"/products/list?category=shoes&page=2\",\"tags\":[\"a\",\"b\",\"c\"]}";
  private static final int UNKNOWN = Integer.MAX_VALUE;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final byte[] answer = new byte[8192];

  HttpConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    in = socket.getInputStream();
    out = socket.getOutputStream();
  }

  /** Sends the request with the given number and reads the answer; throws if it is not a 200. */
  void ask(long number, boolean post) throws IOException {
    out.write((post ? posted(number) : got(number)).getBytes(StandardCharsets.US_ASCII));
    int read = 0;
    int length = UNKNOWN;
    while (read < length) {
      int more = in.read(answer, read, answer.length - read);
      if (more < 0) {
        throw new EOFException("the service has closed the connection");
      }
      read += more;
      if (length == UNKNOWN) {
        length = lengthOf(new String(answer, 0, read, StandardCharsets.US_ASCII));
      }
    }
  }

  private static String got(long number) {
    return "GET /" + number + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }

  private static String posted(long number) {
    String body = EVENT.formatted(number, number % CUSTOMERS);
    return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
        + body.length()
        + HEAD_END
        + body;
  }

  private static int lengthOf(String answer) throws IOException {
    int head = answer.indexOf(HEAD_END);
    if (head < 0) {
      return UNKNOWN;
    }
    Matcher length = LENGTH.matcher(answer);
    if (!answer.startsWith("HTTP/1.1 200") || !length.find()) {
      throw new IOException("unexpected answer: " + answer);
    }
    return head + HEAD_END.length() + Integer.parseInt(length.group(1));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
