import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RequestLog, RequestLogBounds } from "#accounts/request-log.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import { createObjectRequestLog } from "#stores/durable-object/request-log.ts";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";
import { createFixture } from "../../contract/ledger/fixture.ts";
import { anEntry, chunkOf, NOON, requestLogContract } from "../../contract/request-log.ts";
import { eventually } from "../../http/test-api.ts";
import { openMemorySqlite } from "../../support/memory-sqlite.ts";
import { openObject } from "./fixture.ts";

const BOUNDS = { keptDays: 7, keptMax: 1_000 };

/** The database of an object with an open account. */
function openDatabase(t: { after(end: () => void): void }, account: string, bounds = BOUNDS) {
  const driver = openMemorySqlite(OBJECT_MIGRATIONS);
  t.after(() => driver.close());
  driver
    .prepare("INSERT INTO account (id, created_at, free_call) VALUES (?, 0, 'open')")
    .run(account);
  const log = createObjectRequestLog(driver, bounds);
  const rows = (table = "request_chunk") => driver.prepare(`SELECT * FROM ${table}`).all();
  const close = () => {
    driver.exec("UPDATE account SET state = 'closed'");
    log.clear();
  };
  return { log, rows, close };
}

/** Every account has a log of its own, so the contract reaches each through its account. */
requestLogContract("of objects", async (t, bounds: RequestLogBounds): Promise<RequestLog> => {
  const objects = new Map<string, ReturnType<typeof openDatabase>>();
  const of = (account: string) => {
    const object = objects.get(account) ?? openDatabase(t, account, bounds);
    objects.set(account, object);
    return object;
  };
  return {
    async append(chunks) {
      for (const chunk of chunks) of(chunk.account).log.append(chunk);
    },
    list: (order) => of(order.account).log.list(order),
    summarize: (order) => of(order.account).log.summarize(order),
    counts: (order) => of(order.account).log.counts(order),
    async tidy(now) {
      for (const { log } of objects.values()) log.tidy(now);
    },
    async forget({ account }) {
      of(account).close();
    },
  };
});

describe("the rows of the request log in an object", () => {
  const ACCOUNT = "acc_rows";
  const chunk = (count: number, at: number) =>
    chunkOf(
      ACCOUNT,
      Array.from({ length: count }, (_, no) => anEntry({ id: `req_${at}_${no}`, at })),
    );
  const list = { account: ACCOUNT, filter: {}, max: 500 };

  test("take more requests of their day until they are full", (t) => {
    const { log, rows } = openDatabase(t, ACCOUNT, { ...BOUNDS, keptMax: 100_000 });
    const begun = [
      log.append(chunk(1, NOON)),
      ...Array.from({ length: 240 }, (_, no) => log.append(chunk(1, NOON + no))),
      log.append(chunk(9, NOON)),
      log.append(chunk(1, NOON)),
      log.append(chunk(1, NOON + DAY_MS)),
    ];
    assert.deepEqual(
      begun.flatMap((isNew, at) => (isNew ? [at] : [])),
      [0, 242, 243],
    );
    assert.deepEqual(
      rows().map(({ count }) => count),
      [250, 1, 1],
    );
  });

  test("never reuse a number, so a page that waits for new requests misses none", async (t) => {
    const { log, rows } = openDatabase(t, ACCOUNT);
    log.append(chunk(2, NOON));
    const [newest] = (await log.list(list)).requests;
    const after = async () => {
      const filter = { after: newest?.cursor };
      return (await log.list({ ...list, filter })).requests.map(({ at }) => at);
    };
    log.append(chunk(1, NOON + 5));
    assert.deepEqual(await after(), [NOON + 5], "the same row has grown");
    log.tidy(NOON + 30 * DAY_MS);
    assert.equal(rows().length, 0);
    log.append(chunk(1, NOON + 30 * DAY_MS));
    assert.deepEqual(await after(), [NOON + 30 * DAY_MS]);
  });

  test("leave daily counts behind, which are deleted later", async (t) => {
    const { log, rows } = openDatabase(t, ACCOUNT);
    for (let hour = 0; hour < 48; hour += 1) log.append(chunk(1, NOON + hour * HOUR_MS));
    assert.equal(rows().length, 3);
    const before = await log.counts({ account: ACCOUNT, from: NOON });
    assert.equal(before.length, 48);
    assert.equal(log.dueAt(NOON), NOON + 11 * HOUR_MS + 7 * DAY_MS + HOUR_MS);
    log.tidy(NOON + 20 * DAY_MS);
    assert.deepEqual([rows().length, rows("request_day").length], [0, 3]);
    assert.deepEqual(await log.counts({ account: ACCOUNT, from: NOON }), before);
    const due = log.dueAt(NOON) ?? 0;
    assert.equal(due, NOON - 12 * HOUR_MS + 30 * DAY_MS + HOUR_MS);
    log.tidy(NOON + 40 * DAY_MS);
    assert.deepEqual([rows("request_day"), log.dueAt(NOON)], [[], null]);
  });

  test("are deleted where the log was switched off, and nothing is added", (t) => {
    const driver = openMemorySqlite(OBJECT_MIGRATIONS);
    t.after(() => driver.close());
    driver.exec("INSERT INTO account (id, created_at, free_call) VALUES ('acc_rows', 0, 'open')");
    const on = createObjectRequestLog(driver, BOUNDS);
    on.append(chunk(3, NOON));
    const off = createObjectRequestLog(driver, { ...BOUNDS, keptDays: 0 });
    assert.equal(off.append(chunk(3, NOON)), false);
    assert.equal(off.dueAt(NOON), NOON + HOUR_MS);
    off.tidy(NOON);
    for (const table of ["request_chunk", "request_day"])
      assert.deepEqual(driver.prepare(`SELECT * FROM ${table}`).all(), []);
  });
});

describe("the request log of an object in workerd", () => {
  async function openAccount() {
    const object = openObject();
    const fixture = createFixture({ ledger: object.ledger });
    const account = await fixture.account("Ada", { credits: 100 });
    const at = Date.now();
    const append = (count: number, changes: object = {}) =>
      object.requests.append(
        chunkOf(
          account,
          Array.from({ length: count }, (_, no) => anEntry({ id: `req_${no}`, at, ...changes })),
        ),
      );
    const list = async (filter = {}) =>
      (await object.requests.list({ account, filter, max: 500 })).requests;
    return { object, fixture, account, append, list };
  }

  test("finds requests by every filter, also by texts that are longer than the platform's patterns", async () => {
    const { object, account, append, list } = await openAccount();
    const long = (end: string) => `${"a".repeat(127)}${end}`;
    await append(3);
    await append(1, { id: long("b"), status: 429, code: "rate_limited", via: "mcp" });
    await append(1, { id: long("c"), tool: "uuid" });
    assert.equal((await list()).length, 5);
    for (const end of ["b", "c"])
      assert.deepEqual(
        (await list({ id: long(end) })).map(({ id }) => id),
        [long(end)],
      );
    assert.deepEqual(await list({ id: long("d") }), []);
    assert.deepEqual(await list({ id: `${"%".repeat(60)}` }), []);
    assert.deepEqual(await list({ key: "é".repeat(60) }), []);
    assert.equal((await list({ status: "errors" })).length, 1);
    assert.equal((await list({ code: "rate_limited" })).length, 1);
    const tools = await object.requests.summarize({ account, filter: {} });
    assert.deepEqual(
      tools.map(({ tool, requests, errors }) => [tool, requests, errors]),
      [
        ["hash", 4, 1],
        ["uuid", 1, 0],
      ],
    );
    const counts = await object.requests.counts({ account, from: Date.now() - DAY_MS });
    assert.deepEqual(
      counts.map(({ tool, requests, errors }) => [tool, requests, errors]),
      [
        ["hash", 4, 1],
        ["uuid", 1, 0],
      ],
    );
    assert.equal(await object.countRows("request_chunk"), 1);
  });

  test("survives a restart, and its alarm deletes what is old", async () => {
    const { object, append, list } = await openAccount();
    await append(2, { at: Date.now() - 8 * DAY_MS });
    const due = (await object.alarmAt()) ?? 0;
    assert.ok(Math.abs(due - Date.now() - HOUR_MS) < 60_000, `due in ${due - Date.now()} ms`);
    await append(1);
    assert.equal((await list()).length, 1, "a new row deletes old ones");
    await object.restart();
    assert.equal((await list()).length, 1);
    await object.restart({ settings: { TOOLBOOTH_REQUEST_LOG_DAYS: "0" } });
    await append(1);
    assert.equal((await list()).length, 1, "switched off");
    await object.wakeIn(50);
    await eventually("deleted", async () => (await list()).length === 0);
    await object.restart();
  });

  test("is deleted with its account, and takes nothing for a closed or unknown one", async () => {
    const { object, account, append, list } = await openAccount();
    await append(2);
    await object.ledger.changeAccount({ account, now: Date.now(), state: "closed" });
    await append(1);
    assert.deepEqual(await list(), []);
    const unknown = openObject();
    const chunk = chunkOf("acc_nobody", [anEntry()]);
    await unknown.requests.append(chunk);
    assert.equal(await unknown.countRows("request_chunk"), 0);
    assert.equal(await unknown.alarmAt(), null);
  });
});
