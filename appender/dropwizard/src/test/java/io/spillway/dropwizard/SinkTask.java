package io.spillway.dropwizard;

import ch.qos.logback.access.common.spi.IAccessEvent;
import io.dropwizard.servlets.tasks.Task;
import io.spillway.examples.testkit.SinkGate;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/** {@code POST /tasks/sink?gate=shut} holds up the request log's file. */
final class SinkTask extends Task {
  private final SinkGate<IAccessEvent> gate;

  SinkTask(SinkGate<IAccessEvent> gate) {
    super("sink");
    this.gate = gate;
  }

  @Override
  public void execute(Map<String, List<String>> parameters, PrintWriter output) {
    if (parameters.get("gate").contains("shut")) {
      gate.shut();
    } else {
      gate.open();
    }
  }
}
