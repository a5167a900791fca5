"use strict";

/** Draws the report of a run: everything it shows is in result.json under the same names. */
(() => {
  const { data: run, el, table, picture, figure, exact, format } = page;
  const measured = (trial) => trial.load && trial.parks && trial.readBack;
  const repeated = run.trials.some((trial) => trial.repeat > 1);
  const label = (trial) => (trial.repeat > 1 ? `${trial.name} #${trial.repeat}` : trial.name);
  const names = [...new Set(run.trials.map((trial) => trial.name))];
  const shown = run.trials.filter(measured);
  const worst = (trial) =>
    Math.max(trial.load.latency.outsideService.maxMicros, trial.load.latency.rotationService.maxMicros);
  /** As in the tables of the terminal: nothing that is sure is not the same as nothing. */
  const felt = (trial) =>
    (trial.felt === "none" && trial.evidence.some((check) => check.excused) ? "unclear" : trial.felt);
  const verdict = (value) => el("td", { class: `text verdict ${value}` }, value);

  page.show(...summary(), ...result(), ...scenario(), ...overTime(), ...curves(), ...run.trials.flatMap(trial), ...surroundings());

  function summary() {
    return [
      el("p", { id: "finding", class: "finding" }, run.finding),
      picture(run.finding),
      el("p", { id: "run" }, el("span", { class: `verdict ${run.verdict}`, id: "verdict" }, run.verdict),
        ` · ${run.startedAt.slice(0, 16).replace("T", " ")} UTC · took `, exact(run.seconds, format.seconds),
        " (estimated ", exact(run.estimatedSeconds, format.seconds), `) · ${run.machine.os}, `
          + `${run.machine.processors} processors, Java ${run.machine.java}`),
      el("p", { id: "what" }, `${format.number(run.options.threads)} application threads logged `
        + `${pace(run.options.eventsPerSecond)}, each trial in a JVM of its own, `
        + (run.options.rotation ? "while their log file rotated. " : "without a rotation, to compare with. ")
        + "Every wait of theirs inside logging was recorded, every log call timed, every line read back."),
      el("p", {}, el("code", {}, `spillway-stress ${run.commandLine.join(" ")}`)),
    ];
  }

  /** A number, or "max". */
  function pace(rate) {
    return typeof rate === "number" ? `${format.number(rate)} events a second` : "as fast as they could";
  }

  function result() {
    const header = ["trial", "rotation", "threads parked", "parked", "held up a minute", "worst call", "p99.9 outside",
      "p99.9 rotating", "response outside", "response rotating", "heap after GC", "lost", "dup", "order", "torn",
      "felt", "verdict"];
    const rows = run.trials.map((trial, i) => [
      el("th", { scope: "row" }, el("a", { href: `#t${i}` }, label(trial))),
      ...(measured(trial) ? figures(trial) : Array(14).fill("-")),
      trial.felt === null ? "-" : el("td", { class: `text verdict ${felt(trial)}` }, felt(trial)),
      verdict(trial.verdict),
    ]);
    if (repeated) {
      rows.push(...run.medians.map((m) => [
        `${m.name}, median of ${m.repeats}`,
        ...cells(m.rotationSeconds === null, m.rotationSeconds, m.threadsAtOnce, m.parkedThreadSeconds,
          m.heldUpThreadSecondsPerMinute, m.worstCallMicros, m.outsideP999Micros, m.rotationP999Micros,
          m.outsideResponseP999Micros, m.rotationResponseP999Micros, m.heapBytes,
          [m.lost, m.duplicated, m.outOfOrder, m.torn]),
        "",
        "",
      ]));
    }
    return [
      el("h2", {}, "Result"),
      table(header, rows, { id: "headline", class: "cards" }),
      reasons(run.reasons, "reasons"),
      el("h3", {}, "What each trial has shown"),
      el("dl", { id: "findings" }, ...run.trials.flatMap((trial) => [
        el("dt", {}, `${label(trial)}: `, el("span", { class: `verdict ${trial.verdict}` }, trial.verdict)),
        el("dd", {}, trial.finding, ...(trial.reasons.length ? [el("details", {}, el("summary", {}, "Why"),
          reasons(trial.reasons))] : []))])),
      el("details", {}, el("summary", {}, "What the columns say"), el("ul", {}, ...[
        "rotation: from the trigger to the finished archive, background compression included.",
        "threads parked: the most application threads that waited inside logging at the same moment.",
        "parked: what they waited there in sum, in thread-seconds: parks, contended monitors, monitor"
          + " waits and sleeps, however short, and input and output; the warm-up is not counted.",
        "held up a minute: that in a minute of load; or, if it is more, the time that they were off a processor"
          + " inside log calls beyond what the same threads were outside them. This is what the verdict rests on.",
        "felt: none if every limit was kept, noticeable above a limit, stall from ten times a limit on; unclear if"
          + " one was broken while the machine itself stalled, which may be why.",
        "worst call: the slowest log call after the warm-up.",
        "response: p99.9 from the moment at which a call was due, so that calls that a held-up thread could not"
          + " make in time are not missing. Of fewer than 1,000 calls there is no p99.9.",
        "p99.9: of 1,000 log calls, 999 took no longer; of those that overlap the rotation, and of the"
          + " others.",
        "lost, dup, order, torn: events that are missing from the files, are in them more than once,"
          + " or after a later event of the same thread; lines that are not whole.",
        "A peer is shown for comparison; a subject is held to the promises and decides the verdict.",
      ].map((text) => el("li", {}, text)))),
    ];
  }

  /** What was published of the scenario's like, beside what was measured. */
  function scenario() {
    if (!run.scenario) {
      return [];
    }
    const { name, description, source, published } = run.scenario;
    const measuredAs = (row) => (row.trial === null ? "not in this run"
      : `${row.figure}, ${row.trial}${row.lessThan === null ? "" : ` against ${row.lessThan}`}`);
    const rows = published.map((row) => [
      row.what, row.published, row.measured === null ? "-" : row.measured,
      el("td", { class: "text" }, measuredAs(row))]);
    return [
      el("h2", {}, `Scenario ${name}`),
      el("p", { id: "scenario" }, description),
      ...(rows.length ? [el("p", { class: "muted small" }, `Published: ${source}`),
        table(["what", "published", "measured", "measured as"], rows, { id: "published" })] : []),
    ];
  }

  function figures(trial) {
    const { rotation, latency } = trial.load;
    const events = trial.readBack.conservation;
    return cells(!rotation.complete, rotation.endSeconds - rotation.startSeconds, trial.parks.threadsAtOnce,
      trial.parks.threadSeconds, trial.heldUpThreadSecondsPerMinute, worst(trial), latency.outsideService.p999Micros,
      latency.rotationService.p999Micros, latency.outsideResponse.p999Micros, latency.rotationResponse.p999Micros,
      trial.heap === null ? null : trial.heap.afterCollectionBytes,
      [events.lost, events.duplicated, events.outOfOrder, events.torn]);
  }

  function cells(unfinished, rotation, atOnce, parked, heldUp, worstCall, outside, rotating, responseOutside,
    responseRotating, heap, events) {
    return [
      unfinished ? "none" : figure(rotation, format.seconds), figure(atOnce, format.number),
      figure(parked, format.threadSeconds), figure(heldUp, format.threadSeconds), figure(worstCall, format.micros),
      figure(outside, format.micros), figure(rotating, format.micros),
      figure(responseOutside, format.micros), figure(responseRotating, format.micros),
      figure(heap, format.bytes, "not known"),
      ...events.map((n) => figure(n, format.number)),
    ];
  }

  function reasons(list, id) {
    return list.length ? el("ul", { id }, ...list.map((reason) => el("li", {}, reason))) : null;
  }

  /** Latency over time, all trials on one scale; a stall shows while it lasts. */
  function overTime() {
    if (!shown.length) {
      return [];
    }
    const section = el("section", { id: "over-time" }, el("h2", {}, "Response times second by second"),
      el("p", { class: "muted small" }, "By how much the latest log call was late in each second, those included"
        + " that had not returned yet."));
    const first = names.map((name) => shown.find((trial) => trial.name === name)).filter(Boolean);
    const late = (s) => Math.max(s.responseMaxMicros, s.underWayMaxMicros);
    const rotated = first.filter((trial) => trial.load.rotation.seen);
    const end = (trial) => (trial.load.rotation.complete ? trial.load.rotation.endSeconds : trial.load.loadSeconds);
    page.chart(section, "Latest call of all trials, second by second", () => ({
      type: "line",
      data: { datasets: first.map((trial) => ({
        label: label(trial),
        data: trial.load.seconds.flatMap((s) => [s.second, s.second + 0.999].map((x) => ({ x, y: late(s) > 0 ? late(s) : null }))),
        borderColor: page.series(names.indexOf(trial.name)),
        backgroundColor: page.series(names.indexOf(trial.name)),
        borderWidth: thickness(names.indexOf(trial.name)),
        pointRadius: 0,
        pointHitRadius: 6,
      })) },
      options: {
        interaction: { mode: "nearest", intersect: false },
        scales: {
          x: { type: "linear", min: 0, title: { display: true, text: "seconds since the load began" } },
          y: page.microsAxis(first.flatMap((trial) => trial.load.seconds.map(late)).filter((us) => us > 0), "latency"),
        },
        plugins: {
          legend: { labels: { boxWidth: 14, boxHeight: 3 } },
          tooltip: { callbacks: { title: ([item]) => `second ${Math.floor(item.parsed.x)}`,
            label: (item) => `${item.dataset.label}: ${format.micros(item.parsed.y)}` } },
          annotation: { clip: true, annotations: rotated.length === 0 ? {} : { rotation: page.shade("rotation",
            Math.min(...rotated.map((trial) => trial.load.rotation.startSeconds)), Math.max(...rotated.map(end)), "rotation") } },
        },
      },
    }));
    return [section];
  }

  /** All trials on one scale: the colour is the trial's, a dashed line is outside the rotation. */
  function curves() {
    if (!shown.length) {
      return [];
    }
    const section = el("section", {});
    const hidden = new Set();
    const lines = shown.flatMap((trial) => [
      { trial, calls: trial.load.latency.rotationResponse, dash: [] },
      { trial, calls: trial.load.latency.outsideResponse, dash: [5, 4] },
    ]).filter((line) => line.calls.count > 0);
    const points = ({ calls }) => calls.curve.map(({ percentile, micros }) => (
      { x: Math.min(calls.count, 100 / (100 - percentile)), y: micros, percentile }));
    const legend = el("div", { class: "legend" }, ...names.map((name) => {
      const button = el("button", { type: "button", "aria-pressed": "true" }, key(name), name);
      button.addEventListener("click", () => {
        hidden.has(name) ? hidden.delete(name) : hidden.add(name);
        button.setAttribute("aria-pressed", String(!hidden.has(name)));
        drawing.chart.data.datasets.forEach((set) => (set.hidden = hidden.has(set.trial)));
        drawing.chart.update();
      });
      return button;
    }));
    section.append(el("h2", {}, "Latency of log calls"),
      el("p", { class: "muted small" }, "What share of the log calls was answered how long after it was due."
        + " Solid: calls that overlap the rotation; dashed: all others after the warm-up. Both scales"
        + " are logarithmic. A name switches its lines off and on."),
      legend);
    const drawing = page.chart(section, "Latency percentiles of all trials", () => ({
      type: "line",
      data: {
        datasets: lines.map((line) => ({
          label: `${label(line.trial)}, ${line.dash.length ? "outside" : "rotating"}`,
          trial: line.trial.name,
          hidden: hidden.has(line.trial.name),
          data: points(line),
          borderColor: page.series(names.indexOf(line.trial.name)),
          backgroundColor: page.series(names.indexOf(line.trial.name)),
          borderDash: line.dash,
          borderWidth: thickness(names.indexOf(line.trial.name)),
          pointRadius: 0,
          pointHitRadius: 6,
        })),
      },
      options: {
        interaction: { mode: "nearest", intersect: false },
        scales: {
          x: {
            type: "logarithmic",
            min: 2,
            title: { display: true, text: "percentile" },
            afterBuildTicks: (axis) => (axis.ticks = [2, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]
              .filter((value) => value <= axis.max).map((value) => ({ value }))),
            ticks: { callback: (x) => `${Number((100 - 100 / x).toFixed(6))} %` },
          },
          y: page.microsAxis(lines.flatMap((line) => line.calls.curve.map((point) => point.micros)), "latency"),
        },
        plugins: {
          legend: { display: false },
          tooltip: { callbacks: {
            title: ([item]) => `${Number(item.raw.percentile.toFixed(5))} %`,
            label: (item) => `${item.dataset.label}: ${format.micros(item.raw.y)}`,
          } },
        },
      },
    }), true);
    colourKeys(legend);
    return [section];
  }

  function key(name) {
    return el("i", { "data-series": names.indexOf(name) });
  }

  function colourKeys(parent) {
    parent.querySelectorAll("i[data-series]").forEach((i) => {
      i.style.background = `var(--c${i.dataset.series % 9})`;
      i.style.height = `${thickness(i.dataset.series) * 5}px`;
    });
  }

  /** There are nine colours; the next nine lines are thinner, and the nine after those thicker. */
  function thickness(i) {
    return [2, 1, 3][Math.floor(i / 9) % 3];
  }

  function trial(trial, i) {
    const section = el("section", { id: `t${i}` },
      el("h2", {}, label(trial)),
      el("p", {}, el("span", { class: `verdict ${trial.verdict}` }, trial.verdict), ` · ${trial.role} · `,
        trial.description),
      el("p", {}, trial.finding), reasons(trial.reasons), ...evidence(trial));
    if (measured(trial)) {
      section.append(facts(trial));
      timeline(section, trial);
      section.append(...frames(trial), ...bySecond(trial), ...files(trial));
    }
    const problems = trial.load ? trial.load.statusProblems : [];
    section.append(
      ...(problems.length ? [el("h3", {}, "Warnings and errors of Logback"), preformatted(problems.join("\n"))] : []),
      el("details", {}, el("summary", {}, "Configuration (logback.xml)"),
        el("pre", { class: "configuration" }, trial.configuration)),
      el("details", {}, el("summary", {}, "Command line of the forked JVM"),
        preformatted(trial.childCommand.join(" "))));
    return [section];
  }

  function preformatted(text) {
    return el("pre", { class: "wrap" }, text);
  }

  /** Everything that the verdict rests on; open where a reader will ask for it. */
  function evidence(trial) {
    const failed = trial.evidence.filter((check) => check.verdict !== "passed").length;
    const rows = trial.evidence.map((check) => [
      el("th", { scope: "row", class: "wrap" }, check.what),
      el("td", { class: "text" }, check.allowed),
      el("td", { class: "text wrap" }, check.seen),
      verdict(check.verdict),
    ]);
    return rows.length === 0 ? [] : [el("details", { open: failed > 0 ? "" : null },
      el("summary", {}, `Evidence: ${rows.length} checks, ${failed === 0 ? "all" : rows.length - failed} passed`),
      table(["check", "allowed", "seen", "verdict"], rows, { class: "evidence cards" }))];
  }

  function facts(trial) {
    const { load, parks, readBack, pauses, heap, control } = trial;
    const { allocation, disk } = load;
    const n = (value) => exact(value, format.number);
    const bytes = (value) => exact(value, format.bytes);
    const seconds = (value) => exact(value, format.seconds);
    const micros = (value) => exact(value, format.micros);
    const thread = (value) => exact(value, format.threadSeconds);
    const millis = (value) => exact(value, (ms) => format.micros(ms * 1e3));
    return list({
      "events": [n(readBack.conservation.sent), " sent, ", n(readBack.conservation.delivered), " read back"],
      "waits inside logging": parks.events === 0 ? "none"
        : [n(parks.events), ", the longest ", exact(parks.maxSeconds, (s) => format.micros(s * 1e6))],
      "load, then stop": [seconds(load.loadSeconds), ", ", seconds(load.stopSeconds)],
      "processor time": [seconds(load.cpuSeconds), " of the whole process"],
      "allocated in log calls": allocation === null ? null
        : [bytes(allocation.bytesPerCall), " a call, ", bytes(allocation.bytes), " in all"],
      "heap": heap === null ? null : ["at most ", bytes(heap.peakBytes), " in use, after a collection at most ",
        bytes(heap.afterCollectionBytes), "; limit ", bytes(heap.limitBytes)],
      "disk": [bytes(disk.beforeBytes), " before the load, at most ", bytes(disk.peakBytes), ", at the end ",
        bytes(disk.afterBytes), ", of it ", bytes(disk.archiveBytes), " in archives"],
      "inside log calls": [thread(load.inCalls.threadSeconds), ...(load.inCalls.onCpuSeconds === null ? [] : [
        ": on a processor ", thread(load.inCalls.onCpuSeconds), ", off it ", thread(load.inCalls.offCpuSeconds),
        "; the same threads outside: ", thread(load.inCalls.controlOnCpuSeconds), ", ", thread(load.inCalls.controlOffCpuSeconds)])],
      "log calls due": [n(load.callsDue), ", made ", n(load.callsMade)],
      "all threads stood still": pauses === null ? null : [millis(pauses.stoppedMillis), ", the longest ",
        millis(pauses.longestStopMillis)],
      "garbage collections": pauses === null ? null : [n(pauses.collections), ", longest pause ",
        millis(pauses.maxPauseMillis), "; longest way to a safepoint ", millis(pauses.maxTimeToSafepointMillis)],
      "the machine itself": control === null ? null
        : ["stalled a thread of another process that only slept: p99.9 ", micros(control.p999Micros),
          ", worst ", micros(control.maxMicros), "; others took ", exact(control.othersShare,
            (share) => `${(100 * share).toFixed(0)} %`), " of the processors"],
      "first torn line": readBack.conservation.firstTorn,
    }, { class: "facts" });
  }

  /** Names with what is known of them; null is left out. */
  function list(entries, attributes) {
    return el("dl", attributes, ...Object.entries(entries)
      .filter(([, value]) => value !== null && value !== undefined)
      .flatMap(([name, value]) => [el("dt", {}, name),
        el("dd", {}, ...(Array.isArray(value) ? value : [String(value)]))]));
  }

  /** Where threads waited; where else they were held up; what the processors did. */
  function frames(trial) {
    const { inCalls } = trial.load;
    const sum = (list) => list.reduce((all, f) => all + f.threadSeconds, 0);
    return [
      ...frameTable("Waits by frame", "the caller's own frame nearest to the wait", "waits", "waited", trial.parks.byFrame,
        trial.parks.threadSeconds, "frames"),
      ...frameTable("Held up otherwise, by samples", "frame of calls under way for more than 1 ms, in no wait", "samples",
        "about", inCalls.byFrame, sum(inCalls.byFrame), "held"),
      ...frameTable("What stopped all threads", "operation of the JVM", "times", "took", trial.pauses === null ? []
        : trial.pauses.stops, sum(trial.pauses === null ? [] : trial.pauses.stops), "stops"),
      ...frameTable("Who asked for collections", "frame", "times", "took", trial.pauses === null ? []
        : trial.pauses.askedFor, sum(trial.pauses === null ? [] : trial.pauses.askedFor), "asked"),
      ...frameTable("What the processors did, by samples", "frame", "samples", "about", trial.executed,
        sum(trial.executed), "executed"),
    ];
  }

  function frameTable(heading, what, events, amount, byFrame, threadSeconds, name) {
    if (!byFrame.length) {
      return [];
    }
    const rows = byFrame.map((f) => {
      const bar = el("div", {});
      bar.style.width = `${threadSeconds > 0 ? (100 * f.threadSeconds) / threadSeconds : 0}%`;
      return [el("th", { scope: "row" }, el("code", {}, f.frame)), figure(f.events, format.number),
        figure(f.threadSeconds, format.threadSeconds), el("td", { class: "bar" }, bar)];
    });
    return [el("h3", {}, heading), table([what, events, amount, ""], rows, { class: `${name} cards` })];
  }

  function bySecond(trial) {
    const { load, parks } = trial;
    const rows = load.seconds.map((s) => [s.second, figure(s.calls, format.number),
      figure(s.serviceP999Micros, format.micros), figure(s.serviceMaxMicros, format.micros),
      figure(s.underWayMaxMicros, format.micros),
      figure(s.responseMaxMicros, (us) => (us > 0 ? format.micros(us) : "-")),
      figure(parks.threadsAtOnceBySecond[s.second] || 0, format.number),
      figure(parks.threadSecondsBySecond[s.second] || 0, format.threadSeconds),
      figure(load.inCalls.threadSecondsBySecond[s.second] || 0, format.threadSeconds)]);
    return [el("details", {}, el("summary", {}, "The figures, second by second"),
      table(["second", "calls ended", "p99.9", "slowest", "latest under way", "latest after its time", "threads parked",
        "parked", "inside log calls"],
        rows, { class: "seconds" }))];
  }

  function files(trial) {
    const rows = trial.readBack.files.map((f) => [f.name, figure(f.bytes, format.bytes),
      el("td", { class: "text" }, f.error !== null ? f.error : f.read ? "read back" : "not a log file")]);
    return [el("details", {}, el("summary", {}, `Files it left (${rows.length})`),
      table(["file", "length", ""], rows, { class: "files" }))];
  }

  function surroundings() {
    const { machine } = run;
    return [
      el("h2", {}, "Notes"),
      el("ul", { id: "notes" }, ...run.notes.map((note) => el("li", {}, note))),
      el("h2", {}, "Machine"),
      list({ "system": machine.os, "processors": machine.processors,
        "memory": format.bytes(machine.memoryBytes), "Java": machine.java, "JVM": machine.jvm }),
      el("h2", {}, "Options of the run"),
      list({ ...run.options,
        "prefill": run.prefills.map((p) => `${format.number(p.lines)} lines, ${format.bytes(p.bytes)}`).join("; ") }),
      el("p", { class: "muted small" }, `Every figure of this page is in result.json beside it (${run.schema}).`),
    ];
  }
})();
