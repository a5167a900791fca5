package io.spillway.internal.metrics;

import io.spillway.metrics.ArchiveMetrics;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A pipeline in which all is well, but for what a test changes. */
public final class FakeGauges {
  private final Map<String, Object> values = new ConcurrentHashMap<>();

  public final Gauges gauges =
      (Gauges)
          Proxy.newProxyInstance(
              Gauges.class.getClassLoader(),
              new Class<?>[] {Gauges.class},
              (proxy, method, arguments) -> values.get(method.getName()));

  public FakeGauges() {
    for (var method : Gauges.class.getMethods()) {
      if (method.getReturnType() == long.class) {
        values.put(method.getName(), 0L);
      } else if (method.getReturnType() == boolean.class) {
        values.put(method.getName(), false);
      }
    }
    set("isStarted", true).set("ringCapacity", 16L);
    set("spillCapacity", 100L).set("spillUsable", true);
    values.put("archives", ArchiveMetrics.NONE);
  }

  /** Sets the value of a method. */
  public FakeGauges set(String method, Object value) {
    if (!values.containsKey(method) && !method.equals("stuckIn")) {
      throw new IllegalArgumentException(method);
    }
    values.put(method, value);
    return this;
  }
}
