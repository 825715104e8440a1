import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { BalancedEntryView, EntriesView } from "#api/dashboard/shapes.ts";
import { parseCallRef } from "#ids.ts";
import { clock, DAY, HOUR } from "./clock.ts";
import {
  type Fixture,
  type MadeKey,
  makeKey,
  openFixture,
  openMember,
} from "./dashboard-fixture.ts";

type Browser = Awaited<ReturnType<typeof openMember>>["browser"];

/** An account with 72 calls of two keys and three tools over some days, and two grants. */
async function openCaller(fixture: Fixture) {
  const member = await openMember(fixture);
  const { browser, account } = member;
  const { ledger } = fixture.accountDeps;
  const keys: MadeKey[] = [];
  for (const label of ["one", '=cmd|"x"!A1']) keys.push(await makeKey(browser, label));
  const grant = (id: string, amount: number) =>
    ledger.grant({
      ...{ account, id, kind: "pack", amount, now: Date.now() },
      expiresAt: Date.now() + 300 * DAY,
      lifetime: false,
    } as never);
  await grant("stripe:pi_1", 40);
  for (let turn = 0; turn < 72; turn += 1) {
    clock.advance(HOUR);
    if (turn === 50) await grant("stripe:pi_2", 7);
    const { secret } = keys[turn % 5 === 0 ? 1 : 0] as (typeof keys)[number];
    await ledger.debit({
      ...{ account, callId: `call_${turn}`, now: Date.now(), credits: 1, freeCallCredits: 1 },
      tool: ["hash", "uuid", "echo"][turn % 3] as string,
      idempotency: null,
      keySha256: createHash("sha256").update(secret).digest("hex"),
    });
  }
  return { ...member, keys: keys.map(({ key }) => key) };
}

async function read(browser: Browser, query: Record<string, string> = {}) {
  const all: BalancedEntryView[] = [];
  for (let after: string | null = null; ; ) {
    const page: EntriesView = (
      await browser.get(
        `/dashboard/credits/entries?${new URLSearchParams({ ...query, ...(after ? { after } : {}) })}`,
      )
    ).body as EntriesView;
    all.push(...page.entries);
    if (page.next === null) return all;
    after = page.next;
  }
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

test("the ledger is filtered by kind, tool, key and days, and each row has the true balance after it", async () => {
  const { browser, keys } = await openCaller(openFixture());
  const all = await read(browser);
  let balance = 0;
  for (const entry of all.toReversed()) {
    balance += entry.credits;
    assert.equal(entry.balance, balance, entry.id);
  }
  const middle = dayOf(all[30]?.at ?? 0);
  const [one] = keys;
  const cases: [Record<string, string>, (entry: BalancedEntryView) => boolean][] = [
    [{ kind: "grant" }, ({ kind }) => kind === "grant"],
    [{ kind: "debit,usage", tool: "uuid" }, ({ tool }) => tool === "uuid"],
    [{ key: one?.id ?? "" }, ({ key }) => key === one?.id],
    [{ to: middle }, ({ at }) => dayOf(at) <= middle],
    [{ from: middle, to: middle }, ({ at }) => dayOf(at) === middle],
    [{ from: middle, tool: "echo" }, ({ at, tool }) => dayOf(at) >= middle && tool === "echo"],
    [{ tool: "none" }, () => false],
  ];
  for (const [query, matches] of cases)
    assert.deepEqual(await read(browser, query), all.filter(matches), JSON.stringify(query));
});

test("the filtered ledger is a CSV file in UTC, without formulas", async () => {
  const fixture = openFixture();
  const { browser, keys } = await openCaller(fixture);
  const csv = async (query: string) =>
    (await browser.get(`/dashboard/credits/entries/export?${query}`)).text
      .replace("\ufeff", "")
      .trimEnd()
      .split("\r\n");
  const [head, ...rows] = await csv("");
  assert.equal(head, "time_utc,kind,credits,balance,calls,tool,key_id,key_label,grant,id,call_id");
  const all = await read(browser);
  assert.deepEqual(
    rows.map((row) => row.split(",").slice(0, 4).join(",")),
    all.map(({ at, kind, credits, balance }) =>
      [new Date(at).toISOString(), kind, credits, balance].join(","),
    ),
  );
  const [, row = ""] = await csv(`key=${keys[1]?.id}&tool=hash`);
  assert.ok(row.includes(`,hash,${keys[1]?.id},"'=cmd|""x""!A1",`), row);
  assert.equal(
    (await csv("kind=grant")).length,
    1 + all.filter(({ kind }) => kind === "grant").length,
  );
  assert.equal(
    (await fixture.browser().get("/dashboard/credits/entries/export")).code,
    "signed_out",
  );
});

test("in the file, a call that two grants paid is a row for each, so that sums by grant are right", async () => {
  const fixture = openFixture();
  const { browser, account } = await openMember(fixture);
  const { ledger } = fixture.accountDeps;
  const { secret } = await makeKey(browser, "one");
  const all = async () => read(browser);
  const starter = (await all()).reduce((sum, { credits }) => sum + credits, 0);
  await ledger.grant({
    ...{ account, id: "extra", kind: "operator", amount: 10, now: Date.now() },
    ...{ expiresAt: null, lifetime: false },
  } as never);
  await ledger.debit({
    ...{ account, callId: "call_two", now: Date.now(), credits: starter + 4, freeCallCredits: 0 },
    ...{ tool: "hash", idempotency: null },
    keySha256: createHash("sha256").update(secret).digest("hex"),
  });
  const csv = (await browser.get("/dashboard/credits/entries/export?kind=debit")).text;
  const rows = csv
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((row) => row.split(","));
  assert.deepEqual(
    rows.map(([, kind, credits, balance, calls, tool, , , grant]) => [
      ...[kind, credits, balance, calls, tool, grant],
    ]),
    [
      ["debit", String(-starter), "6", "1", "hash", "starter"],
      ["debit", "-4", "6", "", "hash", "operator"],
    ],
  );
  const [first, second] = rows;
  assert.equal(first?.at(-2), second?.at(-2));
  assert.deepEqual(
    rows.map((row) => parseCallRef(row.at(-1) ?? "")?.callId),
    ["call_two", "call_two"],
  );
});
