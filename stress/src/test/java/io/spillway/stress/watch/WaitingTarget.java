package io.spillway.stress.watch;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Eight threads that read from sockets which never answer, two that force a file to the disk again
 * and again, one that waits for connections, and many that sleep by a helper: in a loop of their
 * own, and within a request. Run in a JVM of its own, with a file; lives until its standard input
 * closes.
 */
public final class WaitingTarget {

  static final int READERS = 8;
  static final int WRITERS = 2;
  static final int SLEEPERS = 20;
  private static final int BYTES = 1 << 20;

  private WaitingTarget() {}

  public static void main(String[] arguments) throws Exception {
    ServerSocket server = new ServerSocket(0, READERS, InetAddress.getLoopbackAddress());
    List<Socket> taken = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
      taken.add(server.accept());
      start("reader-" + i, () -> query(socket));
    }
    start("acceptor", () -> server.accept().close());
    for (int i = 0; i < WRITERS; i++) {
      FileChannel file =
          FileChannel.open(
              Path.of(arguments[0] + "-" + i), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      start("writer-" + i, () -> store(file));
    }
    for (int i = 0; i < SLEEPERS; i++) {
      start("poller-" + i, WaitingTarget::poll);
      start("request-" + i, WaitingTarget::request);
    }
    System.out.println("ready");
    System.out.flush();
    while (System.in.read() >= 0) {
      continue;
    }
    Files.deleteIfExists(Path.of(arguments[0]));
    System.exit(taken.size() - READERS);
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private static void start(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void query(Socket socket) throws IOException {
    InputStream answer = socket.getInputStream();
    answer.read();
  }

  private static void store(FileChannel file) throws IOException {
    while (true) {
      file.write(ByteBuffer.allocate(BYTES), 0);
      file.force(true);
    }
  }

  private static void poll() throws InterruptedException {
    while (true) {
      sleep(20);
    }
  }

  private static void request() throws InterruptedException {
    while (true) {
      handle();
    }
  }

  private static void handle() throws InterruptedException {
    sleep(20);
  }

  private static void sleep(long millis) throws InterruptedException {
    Thread.sleep(millis);
  }
}
