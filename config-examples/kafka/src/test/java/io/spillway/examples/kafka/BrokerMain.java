package io.spillway.examples.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import kafka.Kafka;
import kafka.tools.StorageTool;

/** What kafka-storage.sh and kafka-server-start.sh do, in one JVM, which ends with its parent. */
public final class BrokerMain {
  private static final String CLUSTER = "c3BpbGx3YXktZXhhbXBsZQ";

  private BrokerMain() {}

  /** The server.properties are the only argument. */
  public static void main(String[] arguments) {
    Thread watch = new Thread(BrokerMain::awaitParentsEnd, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    String[] format = {
      "format", "--ignore-formatted", "--cluster-id", CLUSTER, "--config", arguments[0]
    };
    if (StorageTool.execute(format, System.out) != 0) {
      throw new IllegalStateException("the storage could not be formatted");
    }
    Kafka.main(arguments);
  }

  private static void awaitParentsEnd() {
    try {
      while (System.in.read() >= 0) {
        // nothing is ever written
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Runtime.getRuntime().halt(1);
    }
  }
}
