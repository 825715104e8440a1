import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type {
  CreditsView,
  EntriesView,
  EntryView,
  HomeView,
  UsageView,
} from "#api/dashboard/shapes.ts";
import { hourOf, UsageNotSummed } from "#ledger/port.ts";
import { anEntry, chunkOf } from "../../contract/request-log.ts";
import fc from "../../support/properties.ts";
import { clock, DAY, HOUR } from "./clock.ts";
import {
  type Fixture,
  homeOf,
  keysOf,
  type MadeKey,
  type Member,
  makeKey,
  openFixture,
  openMember,
} from "./dashboard-fixture.ts";
import { openRequestLog } from "./fixture-stores.ts";

const anyCalls = fc.array(
  fc.record({
    key: fc.nat(1),
    tool: fc.constantFrom("hash", "uuid", "echo"),
    after: fc.constantFrom(1, 1_000, HOUR / 2, HOUR, 7 * HOUR, DAY),
  }),
  { maxLength: 130 },
);

const RUNS = Number(process.env["TEST_MODEL_RUNS"] ?? 8);
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

async function call(fixture: Fixture, account: string, secret: string, tool: string, turn: number) {
  const debited = await fixture.accountDeps.ledger.debit({
    ...{
      account,
      tool,
      callId: `call_${turn}`,
      now: Date.now(),
      credits: 1,
      freeCallCredits: 1,
      idempotency: null,
    },
    keySha256: createHash("sha256").update(secret).digest("hex"),
  });
  assert.ok(["debited", "insufficient_credits"].includes(debited.outcome));
  return debited.outcome === "debited" ? debited.charged : null;
}

async function entriesOf({ browser }: Member): Promise<EntryView[]> {
  const all: EntryView[] = [];
  let after: string | null = null;
  do {
    const query: string = after === null ? "" : `?after=${encodeURIComponent(after)}`;
    const page = (await browser.get(`/dashboard/credits/entries${query}`)).body as EntriesView;
    assert.ok(page.entries.length <= 50);
    all.push(...page.entries);
    after = page.next;
  } while (after !== null);
  return all;
}

test("usage, credits, entries, keys and home show what is in the ledger, after any calls", async () => {
  await fc.assert(
    fc.asyncProperty(anyCalls, async (calls) => {
      const fixture = openFixture();
      const member = await openMember(fixture);
      const { browser, account } = member;
      const keys: MadeKey[] = [];
      for (const label of ["one", "two"]) keys.push(await makeKey(browser, label));
      const begun = Date.now();
      const made: { at: number; key: string; tool: string; charged: number }[] = [];
      for (const [turn, { key, tool, after }] of calls.entries()) {
        clock.advance(after);
        const used = keys[key] as (typeof keys)[number];
        const charged = await call(fixture, account, used.secret, tool, turn);
        if (charged !== null) made.push({ at: Date.now(), key: used.key.id, tool, charged });
      }
      // A visit within 30 days keeps the session alive; the calls may take longer.
      await fixture.signIn(browser, member.email);
      await checkSums(fixture, member, made, begun);
    }),
    { numRuns: RUNS },
  );
});

/** The last 14 days of the home page, the rate of 7, and the keys with the calls of today. */
function checkDays(home: HomeView, made: Made, now: number, createdAt: number) {
  const onDay = (day: string) => made.filter(({ at }) => dayOf(at) === day);
  const days = Array.from({ length: 14 }, (_, index) => dayOf(now - (13 - index) * DAY));
  assert.deepEqual(
    home.days,
    days.map((day) => ({ day, calls: onDay(day).length, errors: null })),
  );
  const hours = made
    .filter(({ at, charged }) => charged > 0 && dayOf(at) >= (days[0] ?? ""))
    .map(({ at }) => at - (at % HOUR));
  const since = hours.length === 0 ? createdAt : Math.min(...hours);
  const week = days.slice(-7).filter((day) => day >= dayOf(since));
  const spent = week.flatMap(onDay).reduce((sum, { charged }) => sum + charged, 0);
  const isKnown = now - since >= 3 * DAY;
  assert.equal(home.creditsPerDay, isKnown ? spent / week.length : null);
  const today = onDay(dayOf(now));
  for (const { id, callsToday } of home.topKeys)
    assert.equal(callsToday, today.filter(({ key }) => key === id).length);
  const calls = home.topKeys.map(({ callsToday }) => callsToday ?? 0);
  assert.deepEqual(
    calls,
    calls.toSorted((a, b) => b - a),
  );
}

type Made = { at: number; key: string; tool: string; charged: number }[];

async function checkSums(fixture: Fixture, member: Member, made: Made, begun: number) {
  const { browser, account } = member;
  const now = Date.now();
  const sum = (some: Made) => some.reduce((total, { charged }) => total + charged, 0);
  const ledgerTotals = await fixture.accountDeps.ledger.credits({ account, now });
  const credits = (await browser.get("/dashboard/credits")).body as CreditsView;
  const { hasGrants: _, ...totals } = ledgerTotals;
  assert.deepEqual(credits, JSON.parse(JSON.stringify(totals)));

  const home = await homeOf(browser);
  const today = made.filter(({ at }) => dayOf(at) === dayOf(now));
  assert.equal(home.balance, ledgerTotals.balance);
  assert.deepEqual(home.today, { calls: today.length, credits: sum(today) });
  assert.equal(home.freeCall, made.length === 0);
  assert.equal(home.keys, 2);
  checkDays(home, made, now, begun);

  const range = `from=${dayOf(begun)}&to=${dayOf(now)}`;
  const usage = (await browser.get(`/dashboard/usage?${range}`)).body as UsageView;
  assert.deepEqual(usage.totals, { calls: made.length, credits: sum(made) });
  for (const row of usage.rows) {
    const same = made.filter(
      ({ at, key, tool }) => dayOf(at) === row.day && key === row.key && tool === row.tool,
    );
    assert.deepEqual([row.calls, row.credits], [same.length, sum(same)]);
  }

  const entries = await entriesOf(member);
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length);
  assert.equal(
    entries.reduce((total, entry) => total + entry.credits, 0),
    ledgerTotals.balance,
  );
  const debits = entries.filter(({ kind }) => kind === "debit");
  assert.deepEqual(
    debits.map(({ at, key, tool, credits: added }) => [at, key, tool, added]),
    made.map(({ at, key, tool, charged }) => [at, key, tool, 0 - charged]).toReversed(),
  );

  const keys = await keysOf(browser);
  for (const { id, callsLastDay } of keys) {
    const last = made.filter(({ at, key }) => key === id && at >= hourOf(now - DAY));
    assert.equal(callsLastDay, last.length);
  }
  assert.ok((await fixture.accountDeps.ledger.audit({ now })).ok);
}

test("usage is shown for a day, for 400 days, and for years without calls", async () => {
  const { browser } = await openMember(openFixture());
  for (const [from, to] of [
    ["2026-11-21", "2026-11-21"],
    ["2025-10-18", "2026-11-21"],
    ["0001-01-01", "0001-01-02"],
    ["9999-12-31", "9999-12-31"],
  ])
    assert.equal((await browser.get(`/dashboard/usage?from=${from}&to=${to}`)).status, 200, from);
});

test("an invalid cursor is rejected or starts again, and is never an internal error", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  for (const after of [
    "x",
    "-1",
    "1e999",
    "%00",
    "0",
    "999999999999999999999",
    "' OR 1=1 --",
    "%F0",
  ]) {
    const entries = await browser.get(`/dashboard/credits/entries?after=${after}`);
    assert.ok([200, 400].includes(entries.status), after);
    if (entries.status === 400) assert.equal(entries.code, "invalid_request");
    assert.equal((await browser.get(`/dashboard/events?after=${after}`)).status, 200, after);
  }
});

test("while calls are being summed, usage is 503 with a time to try again, and other pages are shown without them", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  await makeKey(browser, "production");
  const { ledger } = fixture.accountDeps;
  const { usage } = ledger;
  ledger.usage = () => Promise.reject(new UsageNotSummed("many"));
  const response = await browser.get("/dashboard/usage?from=2026-11-01&to=2026-11-30");
  assert.deepEqual([response.status, response.code], [503, "unavailable"]);
  assert.equal(response.headers.get("retry-after"), "2");
  assert.match(response.text, /are being added up/);
  const home = await browser.get("/dashboard/home");
  const { today, days, creditsPerDay, topKeys } = home.body as HomeView;
  assert.deepEqual([home.status, today, days, creditsPerDay], [200, null, null, null]);
  assert.deepEqual(
    topKeys.map(({ label, callsToday }) => [label, callsToday]),
    [["production", null]],
  );
  assert.equal((await keysOf(browser))[0]?.callsLastDay, null);
  // Its secret is shown only once.
  await makeKey(browser, "staging");
  assert.deepEqual(fixture.loggedErrors, []);
  ledger.usage = usage;
  assert.equal((await browser.get("/dashboard/usage?from=2026-11-01&to=2026-11-30")).status, 200);
});

test("home shows the errors of the request log by day, the last ones, keys about to expire and missing settings", async () => {
  const { requestLog } = openRequestLog();
  const fixture = openFixture({ requestLog });
  const { browser, account } = await openMember(fixture);
  const now = Date.now();
  const midnight = now - (now % DAY);
  const expiresAt = now + 5 * DAY;
  await browser.post("/dashboard/keys", { label: "later", limits: { expiresAt: now + 40 * DAY } });
  await browser.post("/dashboard/keys", { label: "soon", limits: { expiresAt } });
  await browser.post("/dashboard/keys", { label: "never" });
  const error = { status: 429, code: "rate_limited", charged: 0 };
  const entries = [
    ...[1, 2].map((turn) => anEntry({ id: `req_old${turn}`, at: midnight - DAY + turn, ...error })),
    ...[1, 2, 3, 4].map((turn) => anEntry({ id: `req_${turn}`, at: midnight + turn, ...error })),
    anEntry({ id: "req_ok", at: midnight + 5 }),
  ];
  for (const entry of entries) await requestLog.append([chunkOf(account, [entry])]);
  await requestLog.append([chunkOf("acc_000000000999", [anEntry({ id: "req_theirs", ...error })])]);

  const home = await homeOf(browser);
  assert.deepEqual(
    home.lastErrors?.map(({ id }) => id),
    ["req_4", "req_3", "req_2", "req_1", "req_old2"],
  );
  assert.deepEqual(
    home.days?.map(({ errors }) => errors),
    [...Array.from({ length: 12 }, () => 0), 2, 4],
  );
  assert.deepEqual([home.keyExpiry?.label, home.keyExpiry?.at], ["soon", expiresAt]);
  assert.deepEqual(home.setUp, { passkey: false, alerts: true });
  await browser.put("/dashboard/notifications", {
    ...{ lowBalance: 10, emails: { low: false, expiring: true } },
  });
  const without = await homeOf(browser);
  assert.equal(without.setUp.alerts, false);
});

test("a period with too many rows is rejected with advice", async () => {
  const fixture = openFixture();
  const { browser, account } = await openMember(fixture);
  const day = (index: number) => Date.UTC(2026, 9, 1) + index * DAY;
  const read: number[] = [];
  // 2,500 keys that call a tool each day, as the store lists them.
  fixture.accountDeps.ledger.usage = async ({ from, to, after, max = 0 }) => {
    const rows = [];
    const first = after == null ? 0 : Number(after.key) + 1;
    for (let index = first; rows.length < max && day(Math.floor(index / 2500)) < to; index += 1)
      rows.push({
        ...{ account, key: String(index), tool: "hash", calls: 1, credits: 1 },
        hour: Math.max(from, day(Math.floor(index / 2500))),
      });
    read.push(rows.length);
    return rows;
  };
  const few = await browser.get("/dashboard/usage?from=2026-10-01&to=2026-10-02");
  assert.deepEqual([few.status, (few.body as UsageView).rows.length], [200, 5_000]);
  read.length = 0;
  const many = await browser.get("/dashboard/usage?from=2026-10-01&to=2026-11-30");
  assert.deepEqual([many.status, many.code], [400, "invalid_request"]);
  assert.match(many.text, /Choose a shorter period/);
  const rows = read.reduce((sum, each) => sum + each, 0);
  assert.ok(rows <= 55_000, `${rows} rows were read`);
});

test("grants are shown in pages, the spendable ones first", async () => {
  const fixture = openFixture();
  const { browser, account } = await openMember(fixture);
  const now = Date.now();
  for (let index = 0; index < 120; index += 1)
    await fixture.accountDeps.ledger.grant({
      ...{ account, id: `operator:${index}`, kind: "operator", amount: 1, now: now - DAY },
      expiresAt: index % 3 === 0 ? now - HOUR : null,
    });
  const grants: CreditsView["grants"] = [];
  let pages = 0;
  for (let query = "", next: string | null = ""; next !== null; pages += 1) {
    const page = (await browser.get(`/dashboard/credits${query}`)).body as CreditsView;
    assert.ok(page.grants.length <= 50);
    assert.equal(page.balance, 180);
    assert.equal(page.permanent, pages === 0 ? 80 : null);
    grants.push(...page.grants);
    next = page.next;
    query = `?after=${encodeURIComponent(next ?? "")}`;
  }
  assert.equal(pages, 3);
  const isOver = grants.map(({ expiresAt }) => expiresAt !== null && expiresAt <= now);
  assert.deepEqual(isOver, isOver.toSorted());
  assert.equal(new Set(grants.map(({ id }) => id)).size, 121);
});
