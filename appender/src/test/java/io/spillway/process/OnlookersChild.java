package io.spillway.process;

import io.spillway.testkit.FileRig;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;

/**
 * Rolls its file over again and again, and tells how many appenders the MBean servers of this
 * process know, without making one.
 */
public final class OnlookersChild {
  private static final long LOOKS_NANOS = 2_500_000_000L; // time for two looks
  private static final long STAY_NANOS = 60_000_000_000L;

  private OnlookersChild() {}

  /** Arguments: a directory, and what to do when nobody has come: "end", "stay" or "serve". */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    FileRig rig = new FileRig(directory.resolve("app.log")).spill(directory.resolve("spill"));
    rig.start();
    System.out.println("beansAtStart " + beans());
    System.out.println("pid " + ProcessHandle.current().pid());
    int rolled = roll(rig, LOOKS_NANOS);
    System.out.println("rolled " + rolled);
    System.out.println("unseen 1");
    if (arguments[1].equals("end")) {
      rig.close();
      System.exit(0);
    }
    if (arguments[1].equals("serve")) {
      ManagementFactory.getPlatformMBeanServer();
    }
    roll(rig, STAY_NANOS);
  }

  private static int roll(FileRig rig, long nanos) throws Exception {
    long begin = System.nanoTime();
    int rolled = 0;
    for (long beans = 0; System.nanoTime() - begin < nanos; Thread.sleep(20)) {
      rig.policy.roll();
      rig.log(1);
      rig.awaitDelivered();
      rolled++;
      if (beans() != beans) {
        beans = beans();
        System.out.println("beans " + beans);
      }
    }
    return rolled;
  }

  private static long beans() throws Exception {
    long beans = 0;
    for (MBeanServer server : MBeanServerFactory.findMBeanServer(null)) {
      beans += server.queryNames(new ObjectName("io.spillway:*"), null).size();
    }
    return beans;
  }
}
