package io.spillway.jmh;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.runner.format.OutputFormat;

/**
 * Records which benchmarks began and gave no result for each iteration, while their output passes
 * through to the console. A benchmark that fails in its last iteration still gives results of the
 * others. JMH's own summaries do not pass: they add secondary figures of iterations up.
 */
final class FailureWatch implements InvocationHandler {
  private static final Set<String> SUMMARIES = Set.of("endBenchmark", "endRun");

  private final Set<String> open = new LinkedHashSet<>();
  private final OutputFormat console;

  FailureWatch(OutputFormat console) {
    this.console = console;
  }

  /** Returns the output format for JMH. */
  OutputFormat format() {
    return (OutputFormat)
        Proxy.newProxyInstance(
            OutputFormat.class.getClassLoader(), new Class<?>[] {OutputFormat.class}, this);
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("startBenchmark")) {
      open.add(((BenchmarkParams) arguments[0]).id());
    } else if (method.getName().equals("endBenchmark") && arguments[0] != null) {
      BenchmarkResult result = (BenchmarkResult) arguments[0];
      BenchmarkParams benchmark = result.getParams();
      int expected = Math.max(1, benchmark.getForks()) * benchmark.getMeasurement().getCount();
      if (result.getIterationResults().size() >= expected) {
        open.remove(benchmark.id());
      }
    }
    try {
      return SUMMARIES.contains(method.getName()) ? null : method.invoke(console, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Returns the benchmarks without a complete result, by name and parameters. */
  Collection<String> failed() {
    return open;
  }
}
