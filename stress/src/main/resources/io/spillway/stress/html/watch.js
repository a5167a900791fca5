"use strict";

/** Draws a watch: what held threads up, over time and by place; what only waited for work. */
(() => {
  const { data, el, table, figure, exact, series, chart, show } = page;
  const CHARTED = 8;
  const WRAPPED = "white-space: normal; overflow-wrap: anywhere; width: 100%; min-width: 13rem; font-weight: normal";
  const parts = [];

  const number = (value, digits) =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

  const seconds = (value) => figure(value, (s) => number(s, 3));
  const count = (value) => figure(value, (n) => number(n, 0));
  const sum = (groups) => groups.reduce((total, group) => total + group.threadSeconds, 0);

  function bar(share) {
    return el("td", { class: "bar", style: "width: 8rem" }, el("div", { style: "width: " + 100 * share + "%" }));
  }

  /** A name that may be broken after each dot. */
  const breakable = (name) => name.split(/(?<=\.)/).flatMap((part) => [part, el("wbr")]);

  function place(group) {
    return el(
      "th",
      { class: "text", scope: "row", style: WRAPPED },
      el("strong", {}, el("code", {}, ...breakable(group.frame))),
      el("div", { class: "muted small" }, "via ", ...breakable(group.call)),
      group.heldBy ? el("div", { class: "muted small" }, "held by ", ...breakable(group.heldBy)) : null,
      el("details", { class: "small" }, el("summary", {}, "stack"), el("pre", {}, group.stack.join("\n"))),
    );
  }

  function places(id, groups) {
    const header = ["frame", "thread-seconds", "", "threads", "at once", "longest, s", "waits", "sampled"];
    const most = Math.max(...groups.map((group) => group.threadSeconds), 1e-9);
    const rows = groups.map((group) => [
      place(group),
      seconds(group.threadSeconds),
      bar(group.threadSeconds / most),
      count(group.threads),
      count(group.threadsAtOnce),
      seconds(group.maxSeconds),
      count(group.waits),
      seconds(group.sampledThreadSeconds),
    ]);
    return table(header, rows, { id });
  }

  function section(id, title, groups) {
    parts.push(el("h2", {}, title), groups.length ? places(id, groups) : el("p", {}, "Nobody."));
  }

  /** Thread-seconds in a second are the threads that were held up in it, on average. */
  function timeLine(groups) {
    if (!groups.length) {
      return;
    }
    const axis = Array.from({ length: Math.ceil(data.seconds) }, (_, second) => second);
    const drawn = el("div", {});
    parts.push(el("h2", {}, "Threads held up, by second"), drawn);
    chart(drawn, "threads held up in each second, by frame", () => ({
      type: "bar",
      data: {
        labels: axis,
        datasets: groups.slice(0, CHARTED).map((group, i) => ({
          label: group.frame.split(".").slice(-2).join("."),
          data: axis.map((second) => group.threadSecondsBySecond[second] || 0),
          backgroundColor: series(i),
        })),
      },
      options: {
        scales: {
          x: { stacked: true, title: { display: true, text: "second of the watch" } },
          y: { stacked: true, title: { display: true, text: "threads, average of the second" } },
        },
      },
    }), true);
  }

  /** Name and number of each, as they were in the last thread dump. */
  function states() {
    const each = Object.entries(data.threadsByState).flatMap(([state, threads]) => [
      " ",
      el("code", {}, state),
      " ",
      exact(threads, (n) => number(n, 0)),
    ]);
    return el("p", { id: "states" }, "Threads by state in the last dump:", ...(each.length ? each : [" none"]));
  }

  const logging = data.heldUp.filter((group) => group.reason === "LOGGING");
  const other = data.heldUp.filter((group) => group.reason !== "LOGGING");
  parts.push(
    el(
      "p",
      {},
      "Process " + data.pid + ", " + data.target + ", watched for " + number(data.seconds, 1) + " s from " +
        data.startedAt.slice(0, 19).replace("T", " ") + " UTC. Held up in log calls: " + number(sum(logging), 3) +
        " thread-seconds; elsewhere: " + number(sum(other), 3) + " thread-seconds.",
    ),
    states(),
    el(
      "p",
      { class: "muted small" },
      "Sampled is the part of the thread-seconds that only thread dumps showed: waits without an end or a beginning in" +
        " the watch, and those of virtual threads. All else is from the flight recorder.",
    ),
    data.notes.length ? el("ul", { id: "notes" }, ...data.notes.map((note) => el("li", {}, note))) : null,
  );
  timeLine(data.heldUp);
  section("logging", "Held up in log calls", logging);
  section("other", "Held up elsewhere", other);
  section("idle", "Waiting for work: no trouble", data.waitingForWork);
  show(...parts);
})();
