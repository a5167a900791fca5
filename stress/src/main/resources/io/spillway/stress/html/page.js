"use strict";

/** What every page uses: its data, elements that hold text only, formats, charts. */
const page = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("page");
  const pictures = JSON.parse(document.getElementById("pictures").textContent);
  const drawings = [];

  /** An element; attributes by name, children that are elements or text. Never markup. */
  function el(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined && value !== false) {
        element.setAttribute(name, value);
      }
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  /**
   * A table that scrolls by itself; cells are elements, or text. With the class "cards" a narrow
   * screen shows each row as a card, its cells below one another with the name of their column.
   */
  function table(header, rows, attributes) {
    const isText = (i) => !i || rows.some((row) => row[i] instanceof Node && row[i].className === "text");
    const head = header.map((name, i) => el("th", { scope: "col", class: isText(i) ? "text" : null }, name));
    const body = rows.map((row) =>
      el("tr", {}, ...row.map((c, i) => (c instanceof Node ? c : el(i ? "td" : "th", {}, String(c))))),
    );
    body.forEach((row) => [...row.children].forEach((cell, i) => (cell.dataset.column = header[i])));
    const whole = el("table", attributes, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body));
    return el("div", { class: "scroll", tabindex: 0 }, whole);
  }

  /** A picture for light and for dark, which scrolls by itself on a narrow screen; null without one. */
  function picture(description) {
    const source = (svg) => `data:image/svg+xml,${encodeURIComponent(svg)}`;
    return pictures.light === undefined ? null : el("div", { class: "picture", tabindex: 0 },
      el("picture", {},
        el("source", { media: "(prefers-color-scheme: dark)", srcset: source(pictures.dark) }),
        el("img", { src: source(pictures.light), alt: description })));
  }

  /** A figure as a cell: rounded for reading, exact in data-value. Percentiles of too few calls are null. */
  function figure(value, format, absent) {
    return value === null ? el("td", {}, absent || "too few")
      : el("td", { "data-value": value, title: value }, format(value));
  }

  /** A figure within a text: rounded for reading, exact in data-value. */
  function exact(value, format) {
    return el("span", { "data-value": value, title: value }, format(value));
  }

  /** Half up by the digits that a reader would see, as the other forms of the report round. */
  function round(value, digits) {
    const rounded = Math.abs(value) < 1e-6 ? 0 : Number(Math.round(Number(value + "e" + digits)) + "e-" + digits);
    return rounded.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  const format = {
    number: (n) => round(n, 0),
    seconds: (s) => round(s, 1).replaceAll(",", "") + " s",
    threadSeconds: (s) => (s === 0 ? "0" : round(s, 3) + " thread-s"),
    micros(us) {
      if (us >= 1e6) return round(us / 1e6, 2).replaceAll(",", "") + " s";
      if (us >= 1e3) return round(us / 1e3, 1).replaceAll(",", "") + " ms";
      return round(us, 0) + " us";
    },
    bytes(b) {
      if (b >= 1 << 30) return round(b / (1 << 30), 1) + " GB";
      if (b >= 1 << 20) return round(b / (1 << 20), 1) + " MB";
      if (b >= 1 << 10) return round(b / (1 << 10), 1) + " KB";
      return round(b, 0) + " bytes";
    },
  };

  /** A power of ten. */
  const axisMicros = (us) => (us < 1 ? us + " us" : format.micros(us).replace(/\.0+ /, " "));

  /** A colour of the style, which differs between light and dark. */
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const series = (i) => color("c" + (i % 9));

  /** Puts a chart where it says; it is drawn by show(), and again when light turns to dark. */
  function chart(parent, label, options, tall) {
    const canvas = el("canvas", { role: "img", "aria-label": label });
    parent.append(el("div", { class: tall ? "chart tall" : "chart" }, canvas));
    const drawing = { canvas, options, chart: null };
    drawings.push(drawing);
    return drawing;
  }

  /** Puts elements into the page and draws their charts. */
  function show(...elements) {
    main.append(...elements.filter((element) => element !== null));
    draw();
  }

  function draw() {
    Object.assign(Chart.defaults, { color: color("muted"), borderColor: color("line"), animation: false });
    Object.assign(Chart.defaults, { responsive: true, maintainAspectRatio: false });
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    drawings.filter((drawing) => drawing.chart === null).forEach((drawing) => {
      drawing.chart = new Chart(drawing.canvas, drawing.options());
    });
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    drawings.forEach((drawing) => {
      drawing.chart.destroy();
      drawing.chart = null;
    });
    draw();
  });

  /** Ticks at powers of ten only. */
  const decade = (value) => Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6);

  /** A logarithmic axis of microseconds, in whole decades that hold all values. */
  function microsAxis(values, title) {
    const low = values.reduce((a, b) => Math.min(a, b), Infinity);
    const high = values.reduce((a, b) => Math.max(a, b), 1);
    return {
      type: "logarithmic",
      min: 10 ** Math.floor(Math.log10(Math.min(Math.max(low, 0.1), high))),
      max: 10 ** Math.ceil(Math.log10(high * 1.001)),
      title: { display: true, text: title },
      ticks: { callback: (v) => (decade(v) ? axisMicros(v) : null), autoSkip: false },
    };
  }

  /** A stretch of time, shaded; one too short to be seen still shows its edge. */
  function shade(fill, fromSeconds, toSeconds, label) {
    return {
      type: "box",
      xMin: fromSeconds,
      xMax: toSeconds,
      backgroundColor: color(fill),
      borderColor: color(`${fill}-edge`),
      borderWidth: 1,
      drawTime: "beforeDatasetsDraw",
      label: { display: Boolean(label), content: label, position: { x: "start", y: "start" }, color: color("muted"), font: { size: 11 } },
    };
  }

  return { data, el, table, picture, figure, exact, format, color, series, chart, show, microsAxis, shade };
})();
