import assert from "node:assert/strict";
import { test } from "node:test";
import { readKeyLimits } from "#accounts/key-limits.ts";
import type { KeyLimitsView, KeyView } from "#api/dashboard/shapes.ts";
import { limitPhrases, stateOf } from "../../web/keys/key-text.ts";
import {
  draftOf,
  errorsOf,
  hasRate,
  type LimitsDraft,
  orderOf,
} from "../../web/keys/limits-draft.ts";
import { keys, keysView, limitedKeys, NOW } from "./fixtures.ts";

const { bounds } = keysView([]);
const NONE = draftOf(null, bounds);
const DAY = 86_400_000;
const keyNamed = (label: string) => limitedKeys.find((key) => key.label === label) as KeyView;
const limitsOf = (label: string) => keyNamed(label).limits as KeyLimitsView;

/** The error of a field, for a new key. */
const errorOf = (field: keyof ReturnType<typeof errorsOf>, change: Partial<LimitsDraft>) =>
  errorsOf({ ...NONE, ...change }, NONE, bounds, NOW)[field];
const order = (change: Partial<LimitsDraft>) => orderOf({ ...NONE, ...change }, NONE, null, NOW);
const budgets = (change: Partial<LimitsDraft["budgets"]>) => ({ ...NONE.budgets, ...change });

test("a list names each limit in a short phrase", () => {
  assert.deepEqual(limitPhrases(limitsOf("production"), NOW), [
    "hash and uuid only",
    "120 of 500 credits today",
    "expires 3 Mar 2027",
  ]);
  assert.deepEqual(limitPhrases(limitsOf("staging"), NOW), [
    "4 tools only",
    "20 of 20 credits today",
    "310 of 400 credits this month",
    "from 2 networks",
    "5 calls per second",
  ]);
  assert.deepEqual(limitPhrases(limitsOf("partner in Zürich"), NOW), ["from 198.51.100.7"]);
  assert.deepEqual(limitPhrases(limitsOf("contractor"), NOW), ["expired 13 Nov 2026"]);
  assert.deepEqual(limitPhrases(null, NOW), []);
});

test("the state of a key is what stops its calls, else what will, else what its owner may want to know", () => {
  const states = limitedKeys.map((key) => {
    const { title, tone, details } = stateOf(key, NOW);
    return [key.label, title, tone, ...details.map((detail) => detail.replaceAll("\u00a0", " "))];
  });
  assert.deepEqual(states, [
    ["production", "Active", "ok"],
    ["staging", "Budget used up", "warn", "Until 22 Nov 2026, 00:00 UTC"],
    ["partner in Zürich", "Rotated", "ok", "Old secret until 24 Nov 2026, 14:30 UTC"],
    ["demo at the conference", "Expires soon", "warn", "In 2 days"],
    ["trial", "Budget used up", "bad", "It does not reset"],
    ["contractor", "Expired", "bad", "Since 13 Nov 2026, 14:30 UTC"],
    ["laptop", "Unused", "warn", "No calls for over 90 days"],
  ]);
  const both = { ...keyNamed("staging"), previousUntil: NOW + DAY };
  assert.equal(stateOf(both, NOW).details.length, 2);
});

test("a page that was loaded before a budget was reset shows it as reset", () => {
  const tomorrow = NOW + DAY;
  assert.equal(limitPhrases(limitsOf("staging"), tomorrow)[1], "0 of 20 credits today");
  assert.equal(stateOf(keyNamed("staging"), tomorrow).title, "Active");
});

test("an expiry is the end of its last day in UTC", () => {
  assert.equal(order({ expiry: "30" })?.expiresAt, Date.UTC(2026, 11, 22));
  assert.equal(order({ expiry: "year" })?.expiresAt, Date.UTC(2027, 10, 22));
  assert.equal(order({ expiry: "date", day: "2026-11-21" })?.expiresAt, Date.UTC(2026, 10, 22));
  assert.equal(order({ expiry: "none", day: "2026-12-01" }), null);
});

test("the page finds what the service would reject, at its field", () => {
  assert.deepEqual(errorsOf(NONE, NONE, bounds, NOW), {});
  const date = (day: string) => errorOf("expiry", { expiry: "date", day });
  assert.match(date("") ?? "", /Choose the last day/);
  assert.match(date("2026-11-20") ?? "", /today or a later day/);
  assert.match(date("9999-01-01") ?? "", /before the year 9999/);
  assert.match(date("+010000-01-01") ?? "", /Choose a day before|Choose the last day/);
  assert.equal(date("2026-11-21"), undefined);
  assert.match(errorOf("tools", { isEveryTool: false }) ?? "", /at least one tool/);
  for (const text of ["0", "-1", "1.5", "1e3", "ten", "9007199254740993", "1000000000001"]) {
    assert.ok(errorOf("day", { budgets: budgets({ day: text }) }), text);
  }
  for (const text of ["", " ", "1", "1,000", "1 000 000", "1000000000000"]) {
    assert.equal(errorOf("total", { budgets: budgets({ total: text }) }), undefined, text);
  }
  for (const text of ["10.0.0.0/33", "10.0.0", "example.com", "::1/129", "010.0.0.1"]) {
    assert.match(errorOf("networks", { networks: `10.0.0.1\n${text}` }) ?? "", /^“.+” is not an/);
  }
  const many = Array.from({ length: 33 }, (_, index) => `10.0.0.${index}`).join("\n");
  assert.match(errorOf("networks", { networks: many }) ?? "", /at most 32 networks/);
  assert.match(errorOf("rate", { rate: "100" }) ?? "", /less than 100/);
  assert.equal(errorOf("rate", { rate: "99" }), undefined);
  assert.equal(hasRate({ ...bounds, callsPerSecond: 1 }), false);
});

test("the service accepts what the form sends, and stores what the user typed", () => {
  const typed = order({
    expiry: "90",
    isEveryTool: false,
    tools: ["uuid", "hash"],
    budgets: { day: "1,000", month: "", total: "20 000" },
    networks: " 203.0.113.7, 2001:DB8::/48\n\n",
    rate: "5",
  });
  assert.deepEqual(readKeyLimits(typed, bounds, NOW), {
    expiresAt: Date.UTC(2027, 1, 20),
    tools: ["hash", "uuid"],
    budgets: { total: 20_000, month: null, day: 1000 },
    networks: ["203.0.113.7/32", "2001:db8::/48"],
    rate: 5,
  });
  assert.equal(order({}), null);
});

test("a form that was not changed sends the limits of the key", () => {
  for (const { label, limits } of [...limitedKeys, ...keys]) {
    const before = draftOf(limits, bounds);
    assert.deepEqual(errorsOf(before, before, bounds, NOW), {}, label);
    const sent = orderOf(before, before, limits, NOW);
    if (limits === null) {
      assert.equal(sent, null);
      continue;
    }
    const { day, month, total } = limits.budgets;
    const stored = {
      ...limits,
      budgets: {
        day: day?.credits ?? null,
        month: month?.credits ?? null,
        total: total?.credits ?? null,
      },
    };
    const read = readKeyLimits(sent, bounds, NOW, stored);
    const tools = stored.tools === null ? null : [...stored.tools].sort();
    assert.deepEqual(read, { ...stored, tools }, label);
  }
});
