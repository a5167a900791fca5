package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.metrics.SpillwayMXBean;
import io.spillway.testkit.Gate;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import javax.management.MBeanRegistration;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(
    value = 30,
    threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a monitor ignores interrupts
@Tag("own")
class JmxRegistrationTest {
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  /** A server runs code of its application, which may hang; a stop must not hang with it. */
  @Test
  void shouldEndWhileTheServerRegistersAndLeaveNothingThere() throws Exception {
    Gate gate = new Gate();
    gate.shut();
    CountDownLatch registering = new CountDownLatch(1);
    Object metrics =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {SpillwayMXBean.class, MBeanRegistration.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("preRegister")) {
                registering.countDown();
                gate.pass();
                return arguments[1];
              }
              return null;
            });
    JmxRegistration registration = new JmxRegistration(new Reports(new ContextAwareBase()));
    Thread start =
        new Thread(() -> registration.register("context", "slow", (SpillwayMXBean) metrics));
    start.setDaemon(true);
    start.start();
    registering.await();
    registration.unregister();
    gate.open();
    start.join();
    ObjectName name = new ObjectName("io.spillway:type=Appender,context=\"context\",name=\"slow\"");
    assertThat(SERVER.isRegistered(name)).isFalse();
  }
}
