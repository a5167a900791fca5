"use strict";

/** Draws one trial second by second, below one another on the same seconds. */
const timeline = (() => {
  const AXIS_WIDTH = 76;
  const SPILL_WIDTH = 64;
  const width = (axis) => (axis.width = AXIS_WIDTH);
  const { data: run, el, format } = page;
  const shown = run.trials.filter((trial) => trial.load && trial.parks && trial.readBack);
  const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);

  /** Three charts over the same seconds, on scales that all trials share. */
  function draw(section, trial) {
    const { load, parks } = trial;
    const { rotation } = load;
    const end = Math.ceil(load.loadSeconds);
    // Level from the beginning of a second to its end; the last point still belongs to it.
    const level = (second, y) => [{ x: second, y }, { x: second + 0.999, y }];
    const spills = load.buffers.some((buffer) => buffer.spillCapacityBytes !== null);
    const has = (rotationEnd) => rotation.seen && rotationEnd > 0;
    const shades = () => {
      const all = { warmUp: page.shade("warm-up", 0, run.options.warmUpSeconds, "warm-up") };
      if (rotation.seen) {
        all.rotation = page.shade("rotation", rotation.startSeconds,
          has(rotation.reopenedSeconds) ? rotation.reopenedSeconds : end, null);
      }
      if (has(rotation.reopenedSeconds)) {
        all.compression = page.shade("compression", rotation.reopenedSeconds,
          has(rotation.endSeconds) ? rotation.endSeconds : end, null);
      }
      return all;
    };
    const chart = (name, datasets, axes, extra) => page.chart(section, `${name}, second by second`, () => ({
      type: "line",
      data: { datasets: datasets() },
      options: {
        interaction: { mode: "index", intersect: false },
        elements: { line: { borderWidth: 2 }, point: { radius: 0, hitRadius: 6 } },
        layout: { padding: { right: spills && !axes().spill ? SPILL_WIDTH + 8 : 8 } },
        scales: {
          x: { type: "linear", min: 0, max: end, title: { display: true, text: "seconds since the load began" },
            ticks: { maxRotation: 0, precision: 0 } },
          ...axes(),
        },
        plugins: {
          legend: { labels: { boxWidth: 14, boxHeight: 3 } },
          tooltip: { callbacks: { title: ([item]) => `second ${Math.floor(item.parsed.x)}`, ...extra } },
          annotation: { clip: true, annotations: shades() },
        },
      },
    }));
    const line = (name, colour, data, more) => ({
      label: name, data, borderColor: page.series(colour), backgroundColor: page.series(colour), ...more });
    const perSecond = (values) => Array.from({ length: end }, (_, s) => level(s, values[s] || 0)).flat();

    section.append(el("h3", {}, "Second by second"), el("div", { class: "legend" },
      el("span", {}, shadeKey("rotation"), rotationText(rotation)),
      has(rotation.reopenedSeconds) && rotation.endSeconds !== rotation.reopenedSeconds
        ? el("span", {}, shadeKey("compression"), compressionText(rotation)) : null));
    chart("Threads parked inside logging", () => [
      line("threads inside a log call on average", 2, perSecond(load.inCalls.threadSecondsBySecond)),
      line("most threads parked at once", 1, perSecond(parks.threadsAtOnceBySecond), {
        fill: { target: "origin", above: page.color("area") } }),
      line("threads parked on average", 0, perSecond(parks.threadSecondsBySecond)),
    ], () => ({ y: { min: 0, afterFit: width, suggestedMax: Math.max(1, most(shown.map((t) => t.parks.threadsAtOnce))),
      ticks: { precision: 0 }, title: { display: true, text: "threads" } } }),
    { label: (item) => `${item.dataset.label}: ${Number(item.parsed.y.toFixed(3))}` });

    const calls = (name) => load.seconds.flatMap((s) => level(s.second, s.calls > 0 ? s[name] : null));
    chart("Latency of log calls", () => [
      line("slowest call", 1, calls("serviceMaxMicros")),
      line("p99.9", 0, calls("serviceP999Micros")),
      line("latest call under way", 3, load.seconds.flatMap((s) => level(s.second, s.underWayMaxMicros > 0 ? s.underWayMaxMicros : null))),
      ...(trial.control === null ? [] : [line("the machine itself, worst", 7,
        trial.control.maxMicrosBySecond.slice(0, end).flatMap((y, s) => level(s, y > 0 ? y : null)),
        { borderWidth: 1 })]),
    ],
    () => ({ y: { ...page.microsAxis(latencies(), "latency"), afterFit: width } }),
    { label: (item) => `${item.dataset.label}: ${format.micros(item.parsed.y)}` });

    load.buffers.forEach((buffer) => fill(buffer, chart, line));
    if (!load.buffers.length) {
      section.append(el("p", { class: "muted small" }, "How full queues were is not known: no appender tells it."));
    }
  }

  function latencies() {
    const calls = shown.flatMap((t) => t.load.seconds).filter((s) => s.calls > 0)
      .flatMap((s) => [s.serviceP999Micros, s.serviceMaxMicros]).filter((micros) => micros !== null);
    const underWay = shown.flatMap((t) => t.load.seconds).map((s) => s.underWayMaxMicros).filter((micros) => micros > 0);
    const control = shown.flatMap((t) => (t.control === null ? [] : t.control.maxMicrosBySecond));
    return [...calls, ...underWay, ...control.filter((micros) => micros > 0)];
  }

  function shadeKey(name) {
    const i = el("i", {});
    i.style.background = `var(--${name})`;
    i.style.outline = "1px solid var(--line)";
    return i;
  }

  function rotationText(rotation) {
    if (!rotation.seen) {
      return "no rotation";
    }
    const from = `rotation, from ${format.seconds(rotation.startSeconds)}`;
    if (rotation.reopenedSeconds === 0) {
      return `${from}, to no end`;
    }
    const seconds = rotation.reopenedSeconds - rotation.startSeconds;
    return `${from} for ` + (seconds > 0 ? format.micros(seconds * 1e6) : "less than the 5 ms between two looks");
  }

  function compressionText(rotation) {
    return rotation.endSeconds > 0
      ? `then compression in the background for ${format.seconds(rotation.endSeconds - rotation.reopenedSeconds)}`
      : "then compression in the background, not finished";
  }

  /** The queue as a share of what it holds; the spill in bytes, as it has room for hours. */
  function fill(buffer, chart, line) {
    const share = (used, capacity) => buffer.samples.map((s) => (
      { x: s.atSeconds, y: (100 * s[used]) / capacity, used: s[used] }));
    const queue = buffer.spillCapacityBytes === null ? "queue" : "ring";
    chart(`How full ${buffer.appender} was`, () => [
      line(`${queue}, of ${format.number(buffer.queueCapacity)} events`, 0, share("queuedEvents", buffer.queueCapacity)),
      ...(buffer.spillCapacityBytes === null ? [] : [
        line(`spill (right), of ${format.bytes(buffer.spillCapacityBytes)}`, 4,
          buffer.samples.map((s) => ({ x: s.atSeconds, y: s.spillBytes / (1 << 20), used: s.spillBytes })),
          { yAxisID: "spill" })]),
    ].map((set) => ({ ...set, pointRadius: 1.5 })),
    () => ({
      y: { min: 0, max: 100, afterFit: width, title: { display: true, text: "% full" } },
      ...(buffer.spillCapacityBytes === null ? {} : {
        spill: { position: "right", min: 0, afterFit: (axis) => (axis.width = SPILL_WIDTH), suggestedMax: 1, grid: { drawOnChartArea: false },
          title: { display: true, text: "spill, MB" } } }),
    }),
    {
      title: ([item]) => `at ${format.seconds(item.parsed.x)}`,
      label: (item) => {
        const amount = item.datasetIndex === 0 ? format.number : format.bytes;
        return `${item.dataset.label}: ${amount(item.raw.used)}`;
      },
    });
  }

  return draw;
})();
