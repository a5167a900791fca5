"use strict";

/** Draws what JMH measured: a section for each class of benchmarks, a chart for each of its units. */
(() => {
  const { data, el, table, series, chart, show } = page;
  const LOGARITHMIC_FROM = 30;
  const MODES = { thrpt: "throughput", avgt: "mean time of a call", sample: "mean of sampled calls", ss: "single call" };

  const className = (result) => result.benchmark.split(".").at(-2);
  const method = (result) => result.benchmark.split(".").at(-1);
  const parameters = (result) => Object.entries(result.params || {}).map(([name, value]) => name + " " + value).join(", ");
  const distinct = (values) => [...new Set(values)];
  const groups = (results, key) =>
    distinct(results.map(key)).map((name) => [name, results.filter((result) => key(result) === name)]);

  /** JMH writes NaN as text, where there were too few samples to tell. */
  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
  const number = (value) =>
    value.toLocaleString("en-US", { maximumFractionDigits: value >= 1000 ? 0 : value >= 10 ? 1 : 3 });
  const cell = (value) =>
    isNumber(value) ? el("td", { "data-value": value, title: value }, number(value)) : el("td", {}, "-");

  /** Percentiles of sampled calls are among JMH's secondary metrics; each has a column already. */
  function counters(results) {
    return distinct(results.flatMap((result) => Object.keys(result.secondaryMetrics)));
  }

  function figures(results) {
    const counted = counters(results);
    const header = ["benchmark", "parameters", "threads", "score", "± 99.9 %", "unit", ...counted];
    const rows = results.map((result) => [
      method(result),
      el("td", { class: "text" }, parameters(result)),
      cell(result.threads),
      cell(result.primaryMetric.score),
      cell(result.primaryMetric.scoreError),
      el("td", { class: "text" }, result.primaryMetric.scoreUnit),
      ...counted.map((name) => cell((result.secondaryMetrics[name] || {}).score)),
    ]);
    return table(header, rows);
  }

  /** Benchmarks side by side, a colour for each choice of parameters. */
  function bars(parent, unit, results) {
    const names = distinct(results.map(method));
    const choices = distinct(results.map(parameters));
    const scores = results.map((result) => result.primaryMetric.score).filter((score) => score > 0);
    const wide = Math.max(...scores) > LOGARITHMIC_FROM * Math.min(...scores);
    chart(parent, "scores in " + unit, () => ({
      type: "bar",
      data: {
        labels: names,
        datasets: choices.map((choice, i) => ({
          label: choice || "no parameters",
          data: names.map((name) => {
            const found = results.find((result) => method(result) === name && parameters(result) === choice);
            return found ? found.primaryMetric.score : null;
          }),
          backgroundColor: series(i),
        })),
      },
      options: {
        plugins: { legend: { display: choices.length > 1 || choices[0] !== "" } },
        scales: { y: { type: wide ? "logarithmic" : "linear", title: { display: true, text: unit } } },
      },
    }));
  }

  function section(name, results) {
    const drawn = el("div", {});
    groups(results, (result) => result.primaryMetric.scoreUnit).forEach(([unit, same]) => bars(drawn, unit, same));
    const modes = distinct(results.map((result) => MODES[result.mode] || result.mode)).join(", ");
    return [el("h2", {}, name), el("p", { class: "muted" }, "Score: " + modes + "."), drawn, figures(results)];
  }

  const [first] = data.results;
  show(
    el(
      "p",
      {},
      data.machine.os + ", " + data.machine.processors + " processors; " + first.vmName + " " + first.vmVersion +
        "; JMH " + first.jmhVersion + ", forks: " + distinct(data.results.map((result) => result.forks)).join(", ") + ".",
    ),
    data.quick
      ? el("p", { class: "verdict inconclusive" }, "Quick form: it shows that the benchmarks work; the figures are worth nothing.")
      : null,
    ...groups(data.results, className).flatMap(([name, results]) => section(name, results)),
  );
})();
