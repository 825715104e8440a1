/** Contract of the request log of every store: what filters select, pages, sums, bounds, and that nothing of a closed account stays. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type {
  ListedRequest,
  RequestChunk,
  RequestEntry,
  RequestFilter,
  RequestLog,
  RequestLogBounds,
} from "#accounts/request-log.ts";
import { addToChunk, startChunk } from "#accounts/request-recorder.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";

type Open = (t: TestContext, bounds: RequestLogBounds) => Promise<RequestLog>;

export const NOON = Date.UTC(2026, 10, 21, 12);
const BOUNDS = { keptDays: 7, keptMax: 1_000 };
let accounts = 0;
const newAccount = () => {
  accounts += 1;
  return `acc_${String(accounts).padStart(12, "0")}`;
};

export const anEntry = (changes: Partial<RequestEntry> = {}): RequestEntry => ({
  ...{ id: "req_1", at: NOON, tool: "hash", status: 200, code: null, key: "key_1", via: "http" },
  ...{ charged: 1, replayed: false, address: "203.0.113.7" },
  ...{ detail: null, errors: null },
  times: { total: 3.25, body: 0.1, tool: 1.2, ledger: 0.9 },
  bytes: { received: 20, sent: 90 },
  ...changes,
});

export function chunkOf(account: string, entries: readonly RequestEntry[]): RequestChunk {
  const chunk = startChunk(account, entries[0]?.at ?? 0);
  for (const entry of entries) addToChunk(chunk, entry);
  return chunk;
}

const withoutCursor = ({ cursor: _, ...entry }: ListedRequest): RequestEntry => entry;

export function requestLogContract(name: string, open: Open): void {
  const rule = (title: string, check: (log: RequestLog) => Promise<void>, bounds = BOUNDS) =>
    test(`the request log ${name}: ${title}`, async (t) => check(await open(t, bounds)));

  /** Every request that a filter selects, page by page. */
  async function all(log: RequestLog, account: string, filter: RequestFilter = {}, max = 3) {
    const found: ListedRequest[] = [];
    let before: string | null = filter.before ?? null;
    do {
      const more = before === null ? {} : { before };
      const page = await log.list({ account, filter: { ...filter, ...more }, max });
      assert.ok(page.requests.length <= max);
      found.push(...page.requests);
      before = page.next;
    } while (before !== null);
    return found;
  }

  rule("the sentence and the errors of a problem are kept", async (log) => {
    const account = newAccount();
    const problem = {
      ...{ status: 400, code: "invalid_request" },
      detail: '`count` must be a whole number; got "a, ]b\'" \u{1f600}.',
      errors: [
        { pointer: "/count", detail: "must be a whole number" },
        { header: "Accept", detail: "x" },
      ],
    };
    const entries = [
      anEntry({ ...problem, id: "req_bad" }),
      anEntry(),
      anEntry({ ...problem, errors: null }),
    ];
    await log.append([chunkOf(account, entries)]);
    const found = await log.list({ account, filter: {}, max: 9 });
    assert.deepEqual(found.requests.map(withoutCursor), entries.toReversed());
    const { requests } = await log.list({ account, filter: { id: "req_bad" }, max: 9 });
    assert.deepEqual(requests.map(withoutCursor), entries.slice(0, 1));
  });

  rule("a request comes back as it was, and only to its account", async (log) => {
    const [account, other] = [newAccount(), newAccount()];
    const entries = [
      anEntry(),
      anEntry({
        ...{ id: "a.b:c=d+e/f-g_h", at: NOON + 1, status: 429, code: "rate_limited" },
        ...{ via: "mcp", charged: null, replayed: true, address: null },
        times: { total: 0.01, body: null, tool: null, ledger: null },
        bytes: { received: null, sent: 0 },
      }),
    ];
    await log.append([chunkOf(account, entries), chunkOf(other, [anEntry({ id: "req_other" })])]);
    const { requests, next } = await log.list({ account, filter: {}, max: 50 });
    assert.deepEqual(requests.map(withoutCursor), entries.toReversed());
    assert.equal(next, null);
  });

  rule("filters select what they say, over pages and chunks", async (log) => {
    const account = newAccount();
    const entries = Array.from({ length: 24 }, (_, no) => {
      const status = no % 4 === 0 ? 429 : no % 6 === 1 ? 400 : 200;
      const code = status === 200 ? null : status === 429 ? "rate_limited" : "invalid_request";
      return anEntry({
        ...{ id: `req_${no}`, at: NOON + no * 1_000, status, code },
        tool: no % 2 === 0 ? "hash" : "uuid",
        key: no < 12 ? "key_1" : "key_2",
      });
    });
    for (let from = 0; from < entries.length; from += 5)
      await log.append([chunkOf(account, entries.slice(from, from + 5))]);
    const newestFirst = entries.toReversed();
    const listed = await all(log, account);
    assert.deepEqual(listed.map(withoutCursor), newestFirst);
    const selects = async (filter: RequestFilter, isSelected: (entry: RequestEntry) => boolean) => {
      const found = (await all(log, account, filter)).map(withoutCursor);
      assert.deepEqual(found, newestFirst.filter(isSelected), JSON.stringify(filter));
    };
    await selects({ tool: "uuid" }, ({ tool }) => tool === "uuid");
    await selects({ key: "key_2" }, ({ key }) => key === "key_2");
    await selects({ status: "ok" }, ({ status }) => status === 200);
    await selects({ status: "errors" }, ({ status }) => status >= 400);
    await selects({ status: 200 }, ({ status }) => status === 200);
    await selects({ status: 400 }, ({ status }) => status === 400);
    await selects({ status: 503 }, () => false);
    await selects({ code: "rate_limited" }, ({ code }) => code === "rate_limited");
    await selects({ id: "req_7" }, ({ id }) => id === "req_7");
    // Neither part of an id nor a pattern of SQL.
    for (const id of ["req_", "req__", "eq_7", "%", "\\", "req_7%"])
      await selects({ id }, () => false);
    await selects({ from: NOON + 3_000, to: NOON + 6_000 }, ({ id }) => /^req_[345]$/.test(id));
    await selects(
      { tool: "hash", status: 429, key: "key_1" },
      ({ status, key }) => status === 429 && key === "key_1",
    );
    const [newest, , third] = listed as [ListedRequest, ListedRequest, ListedRequest];
    await selects({ after: third.cursor }, ({ at }) => at > third.at);
    await selects({ before: third.cursor }, ({ at }) => at < third.at);
    await selects({ after: newest.cursor }, () => false);
    assert.equal(new Set(listed.map(({ cursor }) => cursor)).size, listed.length);
  });

  rule("more chunks than one slice are searched to their end", async (log) => {
    const account = newAccount();
    const chunks = Array.from({ length: 250 }, (_, no) =>
      chunkOf(account, [anEntry({ id: `req_${no}`, at: NOON + no, status: no === 3 ? 500 : 200 })]),
    );
    await log.append(chunks);
    const [found, ...others] = await all(log, account, { status: "errors" });
    assert.deepEqual([found?.id, others], ["req_3", []]);
    assert.equal((await all(log, account, {}, 100)).length, 250);
    assert.deepEqual(await all(log, account, { from: NOON + 2 * DAY_MS }), []);
  });

  rule("the summary has counts and percentiles by tool", async (log) => {
    const account = newAccount();
    const timed = (tool: string, total: number, status = 200) =>
      anEntry({ tool, status, times: { total, body: null, tool: null, ledger: null } });
    const entries = [
      ...Array.from({ length: 100 }, (_, no) => timed("hash", no + 1)),
      timed("hash", 9_999, 500),
      timed("uuid", 7),
      timed("echo", 8, 402),
    ];
    await log.append([chunkOf(account, entries.slice(0, 60)), chunkOf(account, entries.slice(60))]);
    assert.deepEqual(await log.summarize({ account, filter: {} }), [
      { tool: "hash", requests: 101, errors: 1, p50: 50, p99: 99 },
      { tool: "echo", requests: 1, errors: 1, p50: null, p99: null },
      { tool: "uuid", requests: 1, errors: 0, p50: 7, p99: 7 },
    ]);
    const ofUuid = await log.summarize({ account, filter: { tool: "uuid" } });
    assert.deepEqual(
      ofUuid.map(({ tool }) => tool),
      ["uuid"],
    );
    assert.deepEqual(await log.summarize({ account: newAccount(), filter: {} }), []);
  });

  rule("counts add up by hour, and outlast the requests", async (log) => {
    const account = newAccount();
    const at = (hours: number, status = 200) => anEntry({ at: NOON + hours * HOUR_MS, status });
    await log.append([chunkOf(account, [at(0), at(0, 500)]), chunkOf(account, [at(1)])]);
    await log.append([chunkOf(account, [at(0), at(0)])]);
    const expected = [
      { hour: NOON, tool: "hash", requests: 4, errors: 1 },
      { hour: NOON + HOUR_MS, tool: "hash", requests: 1, errors: 0 },
    ];
    assert.deepEqual(await log.counts({ account, from: NOON + 5 }), expected);
    assert.deepEqual(await log.counts({ account, from: NOON + HOUR_MS }), expected.slice(1));
    await log.tidy(NOON + 8 * DAY_MS);
    assert.deepEqual(await all(log, account), []);
    assert.deepEqual(await log.counts({ account, from: NOON }), expected);
    await log.tidy(NOON + 31 * DAY_MS);
    assert.deepEqual(await log.counts({ account, from: NOON }), []);
  });

  rule("old requests are deleted, and no others", async (log) => {
    const account = newAccount();
    const old = [chunkOf(account, [anEntry()]), chunkOf(account, [anEntry({ at: NOON + 10 })])];
    await log.append([...old, chunkOf(account, [anEntry({ at: NOON + DAY_MS, id: "req_new" })])]);
    await log.tidy(NOON + 7 * DAY_MS);
    assert.equal((await all(log, account)).length, 3);
    await log.tidy(NOON + 7 * DAY_MS + 11);
    assert.deepEqual(
      (await all(log, account)).map(({ id }) => id),
      ["req_new"],
    );
  });

  const few = { keptDays: 7, keptMax: 10 };
  rule(
    "the oldest requests of an account with too many are deleted",
    async (log) => {
      const [busy, quiet] = [newAccount(), newAccount()];
      const entries = Array.from({ length: 30 }, (_, no) => anEntry({ id: `req_${no}` }));
      await log.append([chunkOf(quiet, entries.slice(0, 10))]);
      for (let from = 0; from < 30; from += 3)
        await log.append([chunkOf(busy, entries.slice(from, from + 3))]);
      await log.tidy(NOON);
      const kept = (await all(log, busy)).map(({ id }) => id);
      assert.deepEqual(
        kept,
        entries
          .slice(21)
          .map(({ id }) => id)
          .reverse(),
      );
      assert.equal((await all(log, quiet)).length, 10);
      await log.append([chunkOf(busy, entries.slice(0, 3))]);
      await log.tidy(NOON);
      assert.equal((await all(log, busy)).length, 9);
    },
    few,
  );

  rule("nothing of a closed account stays, or arrives later", async (log) => {
    const [closed, other] = [newAccount(), newAccount()];
    const chunks = [closed, other].map((account) => chunkOf(account, [anEntry()]));
    await log.append(chunks);
    await log.forget({ account: closed, now: NOON });
    await log.forget({ account: closed, now: NOON });
    await log.append(chunks);
    assert.deepEqual(await all(log, closed), []);
    assert.deepEqual(await log.counts({ account: closed, from: 0 }), []);
    assert.equal((await all(log, other)).length, 2);
    await log.tidy(NOON + 2 * DAY_MS);
    assert.deepEqual(await all(log, closed), []);
  });
}
