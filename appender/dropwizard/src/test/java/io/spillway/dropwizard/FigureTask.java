package io.spillway.dropwizard;

import io.dropwizard.servlets.tasks.Task;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** {@code POST /tasks/figure?of=Accepted} prints an attribute of the request log's MXBean. */
final class FigureTask extends Task {
  FigureTask() {
    super("figure");
  }

  @Override
  public void execute(Map<String, List<String>> parameters, PrintWriter output) throws JMException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    ObjectName access = new ObjectName("io.spillway:type=Appender,name=\"access.log\",*");
    ObjectName found = beans.queryNames(access, null).iterator().next();
    output.print(beans.getAttribute(found, parameters.get("of").get(0)));
  }
}
