import assert from "node:assert/strict";
import { test } from "node:test";
import { USAGE_DAYS_MAX } from "#limits.ts";
import { GROUPINGS, type Grouping, filterRows, linesOf, sum } from "../../web/usage/breakdown.ts";
import { readChoices, withChange } from "../../web/usage/choices.ts";
import { csvOf } from "../../web/usage/csv.ts";
import { daysOf, lastDays, rangeError } from "../../web/usage/range.ts";
import { busiestDay, chartData } from "../../web/usage/series.ts";
import { NOW, usage } from "./fixtures.ts";

const groupings = Object.keys(GROUPINGS) as Grouping[];

test("however the usage is grouped, its lines add up to the totals of the ledger", () => {
  for (const grouping of groupings) {
    assert.deepEqual(sum(linesOf(usage.rows, grouping)), usage.totals, grouping);
  }
});

test("the bars of the chart add up to the same calls, with the many keys that share one bar too", () => {
  const rows = usage.rows.map((row, index) => ({ ...row, key: `key_${index % 40}` }));
  for (const split of ["tool", "key"] as const) {
    const { series, days } = chartData(rows, usage, split, (id) => id);
    const drawn = days.flatMap((day) => series.map(({ id }) => Number(day[id])));
    assert.equal(
      drawn.reduce((total, calls) => total + calls, 0),
      usage.totals.calls,
    );
    assert.ok(series.length <= 6);
    assert.equal(days.length, 30);
  }
});

test("lines come newest day first, and where there is no day the one with most calls first", () => {
  const days = linesOf(usage.rows, "day").map(({ day }) => day);
  assert.deepEqual(days, [...days].sort().reverse());
  const calls = linesOf(usage.rows, "tool").map((line) => line.calls);
  assert.deepEqual(
    calls,
    [...calls].sort((one, other) => other - one),
  );
});

test("a filter keeps only the tool and the key that were asked for", () => {
  const key = usage.keys[0]?.id ?? "";
  const kept = filterRows(usage.rows, { tool: "hash", key });
  assert.ok(kept.length > 0);
  assert.ok(kept.every((row) => row.tool === "hash" && row.key === key));
});

test("the busiestDay day is the one with most calls of all tools together", () => {
  const row = { tool: "hash", key: "k", credits: 0 };
  assert.deepEqual(
    busiestDay([
      { ...row, day: "2026-11-01", calls: 5 },
      { ...row, day: "2026-11-02", calls: 3 },
      { ...row, day: "2026-11-02", calls: 3 },
    ]),
    { day: "2026-11-02", calls: 6 },
  );
  assert.equal(busiestDay([]), null);
});

test("a label in CSV neither breaks out of its cell nor runs as a formula", () => {
  const line = { id: "1", day: "2026-11-21", key: "key_1", calls: 1234, credits: 1233 };
  const labelled = (label: string) => csvOf([line], "day-key", () => label).split("\r\n")[1];
  assert.equal(labelled("production"), "2026-11-21,key_1,production,1234,1233");
  assert.equal(labelled('a "b", c'), '2026-11-21,key_1,"a ""b"", c",1234,1233');
  assert.equal(labelled("=1+1"), "2026-11-21,key_1,'=1+1,1234,1233");
});

test("CSV has the columns that are shown, and ends its last line", () => {
  const head = (grouping: Grouping) => csvOf([], grouping, String);
  assert.equal(head("all"), "day_utc,tool,key_id,key_label,calls,credits\r\n");
  assert.equal(head("tool"), "tool,calls,credits\r\n");
});

test("seven days are today and the six before, by UTC, over the end of a month too", () => {
  assert.deepEqual(lastDays(7, Date.UTC(2028, 2, 3, 23)), { from: "2028-02-26", to: "2028-03-03" });
  assert.equal(daysOf({ from: "2028-02-26", to: "2028-03-03" }).length, 7);
});

test("a span that cannot be is refused with what to do", () => {
  const good = { from: "2026-11-01", to: "2026-11-21" };
  assert.equal(rangeError(good, NOW), null);
  assert.match(rangeError({ ...good, from: "" }, NOW) ?? "", /first day/);
  assert.match(rangeError({ ...good, to: "2026-11-99" }, NOW) ?? "", /last day/);
  assert.match(rangeError({ from: good.to, to: good.from }, NOW) ?? "", /after/);
  assert.match(rangeError({ from: "2026-12-01", to: "2026-12-02" }, NOW) ?? "", /future/);
  const long = { from: "2020-01-01", to: good.to };
  assert.match(rangeError(long, NOW) ?? "", new RegExp(String(USAGE_DAYS_MAX)));
});

test("an address with nonsense in it shows the last thirty days", () => {
  const search = { days: "12", from: "x", by: "toString", tool: "hash" };
  const choices = readChoices(search, NOW);
  assert.deepEqual(choices.range, lastDays(30, NOW));
  assert.equal(choices.grouping, "day-tool");
  assert.equal(choices.tool, "hash");
});

test("choosing days of one's own takes the preset back, and the other way round", () => {
  const own = withChange({ days: "7", tool: "hash" }, { from: "2026-11-01", to: "2026-11-02" });
  assert.deepEqual(own, { tool: "hash", from: "2026-11-01", to: "2026-11-02" });
  assert.equal(readChoices(own, NOW).span, "custom");
  assert.deepEqual(withChange(own, { days: "90", tool: "" }), { days: "90" });
});
