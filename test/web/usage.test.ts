import assert from "node:assert/strict";
import { test } from "node:test";
import { USAGE_DAYS_MAX } from "#limits.ts";
import { filterRows, GROUPINGS, type Grouping, linesOf, sum } from "../../web/usage/breakdown.ts";
import { readChoices, withChange } from "../../web/usage/choices.ts";
import { csvOf } from "../../web/usage/csv.ts";
import { daysOf, lastDays, rangeError } from "../../web/usage/range.ts";
import { busiestDay, chartData } from "../../web/usage/series.ts";
import { NOW, usage } from "./fixtures.ts";

const groupings = Object.keys(GROUPINGS) as Grouping[];

test("the lines of every grouping add up to the totals of the ledger", () => {
  for (const grouping of groupings) {
    assert.deepEqual(sum(linesOf(usage.rows, grouping)), usage.totals, grouping);
  }
});

test("the bars of the chart add up to the total calls, also when many keys share one series", () => {
  const rows = usage.rows.map((row, index) => ({ ...row, key: `key_${index % 40}` }));
  for (const split of ["tool", "key"] as const) {
    const { series, bars } = chartData(rows, usage, split, (id) => id);
    const drawn = bars.flatMap(({ values }) => values);
    assert.equal(
      drawn.reduce((total, calls) => total + calls, 0),
      usage.totals.calls,
    );
    assert.ok(series.length <= 6);
    assert.equal(bars.length, 30);
    assert.ok(bars.every(({ values }) => values.length === series.length));
  }
});

test("lines are sorted by newest day, or by most calls if they are not grouped by day", () => {
  const days = linesOf(usage.rows, "day").map(({ day }) => day);
  assert.deepEqual(days, [...days].sort().reverse());
  const calls = linesOf(usage.rows, "tool").map((line) => line.calls);
  assert.deepEqual(
    calls,
    [...calls].sort((one, other) => other - one),
  );
});

test("a filter keeps only rows of the chosen tool and key", () => {
  const key = usage.keys[0]?.id ?? "";
  const rows = filterRows(usage.rows, { tool: "hash", key });
  assert.ok(rows.length > 0);
  assert.ok(rows.every((row) => row.tool === "hash" && row.key === key));
});

test("the busiest day has the most calls of all tools together", () => {
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

test("a label in the CSV neither breaks out of its cell nor runs as a formula", () => {
  const line = { id: "1", day: "2026-11-21", key: "key_1", calls: 1234, credits: 1233 };
  const labelled = (label: string) => csvOf([line], "day-key", () => label).split("\r\n")[1];
  assert.equal(labelled("production"), "2026-11-21,key_1,production,1234,1233");
  assert.equal(labelled('a "b", c'), '2026-11-21,key_1,"a ""b"", c",1234,1233');
  assert.equal(labelled("=1+1"), "2026-11-21,key_1,'=1+1,1234,1233");
});

test("the CSV has the columns of the table and ends with a line break", () => {
  const head = (grouping: Grouping) => csvOf([], grouping, String);
  assert.equal(head("all"), "day_utc,tool,key_id,key_label,calls,credits\r\n");
  assert.equal(head("tool"), "tool,calls,credits\r\n");
});

test("the last seven days are today and the six days before in UTC, also across months", () => {
  assert.deepEqual(lastDays(7, Date.UTC(2028, 2, 3, 23)), { from: "2028-02-26", to: "2028-03-03" });
  assert.equal(daysOf({ from: "2028-02-26", to: "2028-03-03" }).length, 7);
});

test("an invalid range gets a message that says what to correct", () => {
  const valid = { from: "2026-11-01", to: "2026-11-21" };
  assert.equal(rangeError(valid, NOW), null);
  assert.match(rangeError({ ...valid, from: "" }, NOW) ?? "", /first day/);
  assert.match(rangeError({ ...valid, to: "2026-11-99" }, NOW) ?? "", /last day/);
  assert.match(rangeError({ from: valid.to, to: valid.from }, NOW) ?? "", /after/);
  assert.match(rangeError({ from: "2026-12-01", to: "2026-12-02" }, NOW) ?? "", /future/);
  const long = { from: "2020-01-01", to: valid.to };
  assert.match(rangeError(long, NOW) ?? "", new RegExp(String(USAGE_DAYS_MAX)));
});

test("invalid parameters in the URL show the last thirty days", () => {
  const search = { days: "12", from: "x", by: "toString", tool: "hash" };
  const choices = readChoices(search, NOW);
  assert.deepEqual(choices.range, lastDays(30, NOW));
  assert.equal(choices.grouping, "day-tool");
  assert.equal(choices.tool, "hash");
});

test("a custom range replaces the preset, and a preset replaces the custom range", () => {
  const custom = withChange({ days: "7", tool: "hash" }, { from: "2026-11-01", to: "2026-11-02" });
  assert.deepEqual(custom, { tool: "hash", from: "2026-11-01", to: "2026-11-02" });
  assert.equal(readChoices(custom, NOW).span, "custom");
  assert.deepEqual(withChange(custom, { days: "90", tool: "" }), { days: "90" });
});
