// The plots of the history, from the points that the server gives.

import { duration } from "../shared/times.js";
import { OTHERS, SHARES } from "./shares.js";
import { roundUpSpan, TimePlot } from "./time-plot.js";

const COLOURS = ["var(--plot-line)", "var(--plot-second)", "var(--on-time)", "var(--called-off)", "var(--up-to-5)", "var(--over-10)"];

export class Plots {
  constructor(root) {
    this.plots = {
      delays: new TimePlot({ title: "plotDelays", note: "plotDelaysNote", isWide: true }),
      age: new TimePlot({ title: "plotAge", note: "plotAgeNote" }),
      served: new TimePlot({ title: "plotServed", note: "plotServedNote" }),
      coverage: new TimePlot({ title: "plotCoverage", note: "plotCoverageNote" }),
      missing: new TimePlot({ title: "plotMissing", note: "plotMissingNote" }),
    };
    root.append(...Object.values(this.plots).map((plot) => plot.root));
  }

  /** @param {object} known - What `HistoryPoints` knows; @param {object} words - `say`, `number`, `zone`, `staleSec`. */
  show(known, words) {
    const base = { from: known.from, to: known.to, step: known.step, zone: words.zone, say: words.say };
    const of = (kind) => known.series.filter((series) => series.kind === kind);
    this.#showAge(of("trip-updates"), base, words);
    this.#showServed(of("served"), base, words);
    this.#showDepartures(of("departures"), base, words);
    this.#showCoverage(of("trip-updates"), of("departures"), base, words);
  }

  #showAge(sources, base, { say, staleSec, feedsAreSeveral }) {
    const rows = joined(sources, (point) => [point?.ageMeanSec ?? null, point?.ageMinSec ?? null, point?.ageMaxSec ?? null], 3);
    const isOne = sources.length === 1;
    const series = sources.flatMap((source, index) => {
      const name = isOne ? say("mean") : nameOf(source, say, feedsAreSeveral);
      const place = index * 3;
      const mean = { name, place, colour: COLOURS[index % COLOURS.length], kind: "line" };
      if (!isOne) return [mean];
      return [{ name: say("fromTo"), kind: "band", low: place + 1, high: place + 2 }, mean,
        { name: say("greatest"), place: place + 2, colour: COLOURS[0], kind: "hidden" }];
    });
    const last = rows.at(-1)?.values[0] ?? null;
    const most = Math.max(0, ...rows.flatMap(({ values }) => values.filter((value) => value !== null)));
    this.plots.age.show({
      ...base, rows, series, top: 30, most: 1200, round: roundUpSpan, limit: staleSec, unit: seconds, noteValues: { limit: duration(staleSec) },
      now: last === null ? "" : `⌀ ${seconds(last)}`, summary: rows.length ? say("plotSummary", { last: seconds(last ?? 0), most: seconds(most) }) : "",
    });
  }

  #showServed(sources, base, { say }) {
    const rows = joined(sources, (point) => [point?.ageMedianSec ?? null, point?.ageP90Sec ?? null], 2);
    const series = sources.length === 0 ? [] : [
      { name: say("median"), place: 0, colour: COLOURS[0], kind: "line" }, { name: say("p90"), place: 1, colour: COLOURS[1], kind: "line" },
    ];
    const last = rows.at(-1)?.values[0] ?? null;
    const most = Math.max(0, ...rows.flatMap(({ values }) => values.filter((value) => value !== null)));
    this.plots.served.show({
      ...base, rows, series, top: 30, most: 1200, round: roundUpSpan, unit: seconds, now: last === null ? "" : seconds(last),
      summary: rows.length ? say("plotSummary", { last: seconds(last ?? 0), most: seconds(most) }) : "",
    });
  }

  #showDepartures(feeds, base, { say, number }) {
    const shares = [...SHARES, ...OTHERS];
    const rows = summed(feeds, shares.map(([name]) => name));
    const series = shares.map(([name, colour], place) => ({ name: say(`share-${name}`), place, colour, kind: "bar" }));
    const total = (names) => rows.reduce((sum, { values }) => sum + names.reduce((part, name) => part + values[shares.findIndex(([one]) => one === name)], 0), 0);
    const predicted = total(SHARES.map(([name]) => name));
    const punctual = predicted > 0 ? `${number((100 * total(["onTime", "upTo3"])) / predicted, 1)}\u00a0%` : "";
    const unit = (value) => number(Math.round(value));
    this.plots.delays.show({
      ...base, rows, series, top: 10, unit, now: punctual ? say("punctualShare", { share: punctual }) : "", summary: punctual ? say("punctualShare", { share: punctual }) : "",
    });
    const missing = summed(feeds, ["tripsMissing"]);
    const count = missing.reduce((sum, { values }) => sum + values[0], 0);
    this.plots.missing.show({
      ...base, rows: missing, series: feeds.length ? [{ name: say("column-missingTrips"), place: 0, colour: "var(--over-10)", kind: "bar" }] : [], top: 5, unit,
      now: feeds.length ? unit(count) : "", summary: say("missingSummary", { count: unit(count) }),
    });
  }

  #showCoverage(sources, feeds, base, { say, number }) {
    const ends = new Map();
    const at = (time) => ends.get(time) ?? ends.set(time, [null, null]).get(time);
    for (const source of sources) {
      for (const point of source.points) {
        if (point.matchedPercent == null) continue;
        const values = at(Date.parse(point.at));
        values[0] = Math.min(values[0] ?? 100, point.matchedPercent);
      }
    }
    for (const { at: time, values } of summed(feeds, [...SHARES.map(([name]) => name), "cancelled", "unpredicted"])) {
      const all = values.reduce((sum, value) => sum + value, 0);
      if (all > 0) at(time)[1] = (100 * (all - values.at(-1))) / all;
    }
    const rows = [...ends].sort(([one], [other]) => one - other).map(([time, values]) => ({ at: time, values }));
    const unit = (value) => `${number(value, value % 1 === 0 ? 0 : 1)}\u00a0%`;
    const last = rows.findLast(({ values }) => values[1] !== null)?.values[1] ?? null;
    this.plots.coverage.show({
      ...base, rows, top: 100, most: 100, unit, now: last === null ? "" : unit(last),
      series: rows.length === 0 ? [] : [
        { name: say("coveredDepartures"), place: 1, colour: COLOURS[0], kind: "line" }, { name: say("matchedUpdates"), place: 0, colour: COLOURS[1], kind: "line" },
      ],
      summary: last === null ? "" : `${say("coveredDepartures")}: ${unit(last)}`,
    });
  }
}

function seconds(value) {
  return value < 10 && value % 1 !== 0 ? `${value.toFixed(1)}\u00a0s` : value < 120 ? `${Math.round(value)}\u00a0s` : duration(value);
}

function nameOf(source, say, feedsAreSeveral) {
  return [say(`kind-${source.kind}`), String(source.number), feedsAreSeveral ? `(${source.feed})` : ""].filter(Boolean).join(" ");
}

/** The points of several series by time: `width` values of each, `null` where one has no point. */
function joined(series, valuesOf, width) {
  const rows = new Map();
  series.forEach((one, index) => {
    for (const point of one.points) {
      const at = Date.parse(point.at);
      if (!rows.has(at)) rows.set(at, Array(series.length * width).fill(null));
      rows.get(at).splice(index * width, width, ...valuesOf(point));
    }
  });
  return [...rows].sort(([one], [other]) => one - other).map(([at, values]) => ({ at, values }));
}

/** Members of the points of several series, added up by time. */
function summed(series, names) {
  const rows = new Map();
  for (const one of series) {
    for (const point of one.points) {
      const at = Date.parse(point.at);
      const values = rows.get(at) ?? rows.set(at, names.map(() => 0)).get(at);
      names.forEach((name, place) => (values[place] += point[name] ?? 0));
    }
  }
  return [...rows].sort(([one], [other]) => one - other).map(([at, values]) => ({ at, values }));
}
