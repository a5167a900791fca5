package io.spillway.stress.service;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Requests at a constant rate, in an open loop: each has a due time that does not depend on earlier
 * requests. The next free connection sends it, at once if it is late, and its response time counts
 * from when it was due, so that a stall of the service neither reduces the load nor hides the waits
 * of callers. Requests that were due in the warm-up and not sent by its end are left out. Counts
 * may be read when all requests are over.
 */
final class Requests {

  private static final double PATIENCE_SECONDS = 60; // after the end; later requests are not made
  private static final double NANOS = 1e9;
  private static final long RETRY_NANOS = 100_000_000;
  private static final long NONE = Long.MAX_VALUE;

  private static final Pattern LENGTH = Pattern.compile("(?i)\r\nContent-Length: (\\d+)\r\n");
  private static final String HEAD_END = "\r\n\r\n";
  private static final int CUSTOMERS = 9_973;
  private static final String EVENT =
      "{\"id\":\"%d\",\"type\":\"page-view\",\"customer\":%d,\"device\":\"phone\","
          + "\"page\":\"/products/list?category=shoes&page=2\",\"tags\":[\"a\",\"b\",\"c\"]}";

  /** Receives response times, by {@link System#nanoTime()}; called by several threads. */
  interface Times {
    void response(long dueNanos, long endNanos);
  }

  private final Target target;
  private final double rate;
  private final Times times;
  private final long measureNanos;
  private final AtomicLong next = new AtomicLong();
  private final List<Client> clients;
  private volatile long stopNanos = NONE;
  private volatile boolean abandoned;

  final long startNanos = System.nanoTime();
  final LongAdder due = new LongAdder();
  final LongAdder answered = new LongAdder();
  final LongAdder measured = new LongAdder(); // answered between the warm-up and the end
  final LongAdder failed = new LongAdder(); // sent and without an answer of 200
  final AtomicReference<String> failure = new AtomicReference<>(); // the first

  /** Where requests go; with {@code post} they have a body. */
  record Target(int port, int connections, boolean post) {}

  Requests(Target target, double rate, double warmUpSeconds, Times times) {
    this.target = target;
    this.rate = rate;
    this.times = times;
    measureNanos = startNanos + (long) (warmUpSeconds * NANOS);
    clients = Stream.generate(Client::new).limit(target.connections()).toList();
  }

  void start() {
    clients.forEach(Thread::start);
  }

  /** Ends the load: only requests that are due before this time are still sent. */
  void stop(long nanos) {
    stopNanos = nanos;
    clients.forEach(LockSupport::unpark);
  }

  /** Ends the load without the requests that are due. */
  void abandon() {
    abandoned = true;
    stop(System.nanoTime());
  }

  boolean isOver() {
    return clients.stream().noneMatch(Thread::isAlive);
  }

  /**
   * One thread with one persistent HTTP connection over a plain socket. A client library would use
   * more of the machine than the service that is measured.
   */
  private final class Client extends Thread {

    private final byte[] answer = new byte[8192];
    private Socket socket; // null if there is no connection

    Client() {
      super("client");
      setDaemon(true);
    }

    @Override
    public void run() {
      while (!abandoned) {
        long number = next.getAndIncrement();
        long at = startNanos + (long) (number / rate * NANOS);
        awaitTime(at);
        if (at >= stopNanos) {
          break;
        }
        long now = System.nanoTime();
        if (at >= measureNanos || now < measureNanos) {
          due.increment();
          if (now - stopNanos > PATIENCE_SECONDS * NANOS) {
            times.response(at, now);
          } else {
            ask(number, at);
          }
        }
      }
      disconnect();
    }

    private void awaitTime(long nanos) {
      long left = nanos - System.nanoTime();
      while (left > 0 && nanos < stopNanos) {
        LockSupport.parkNanos(left);
        left = nanos - System.nanoTime();
      }
    }

    private void ask(long number, long at) {
      try {
        if (socket == null) {
          socket = new Socket(InetAddress.getLoopbackAddress(), target.port());
          socket.setTcpNoDelay(true);
        }
        socket.getOutputStream().write(request(number).getBytes(US_ASCII));
        readAnswer(socket.getInputStream());
        long now = System.nanoTime();
        times.response(at, now);
        answered.increment();
        measured.add(now >= measureNanos && now < stopNanos ? 1 : 0);
      } catch (IOException e) {
        failed.increment();
        failure.compareAndSet(null, "a request failed: " + e);
        disconnect();
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }

    private String request(long number) {
      if (!target.post()) {
        return "GET /" + number + " HTTP/1.1\r\nHost: localhost" + HEAD_END;
      }
      String body = EVENT.formatted(number, number % CUSTOMERS);
      return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
          + body.length()
          + HEAD_END
          + body;
    }

    private void readAnswer(InputStream in) throws IOException {
      int length = 0; // not known yet
      for (int read = 0; length == 0 || read < length; ) {
        int more = in.read(answer, read, answer.length - read);
        if (more < 0) {
          throw new EOFException("the service has closed the connection");
        }
        read += more;
        length = length == 0 ? lengthOf(new String(answer, 0, read, US_ASCII)) : length;
      }
    }

    /** Returns the length of an answer with its head, 0 before the head is complete. */
    private static int lengthOf(String answer) throws IOException {
      int head = answer.indexOf(HEAD_END);
      if (head < 0) {
        return 0;
      }
      Matcher length = LENGTH.matcher(answer);
      if (!answer.startsWith("HTTP/1.1 200") || !length.find()) {
        throw new IOException("unexpected answer: " + answer);
      }
      return head + HEAD_END.length() + Integer.parseInt(length.group(1));
    }

    private void disconnect() {
      try {
        if (socket != null) {
          socket.close();
        }
      } catch (IOException e) {
        return; // it is given up anyway
      } finally {
        socket = null;
      }
    }
  }
}
