import assert from "node:assert/strict";
import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import type { Worker } from "node:worker_threads";
import { NOT_ACCEPTED } from "#api/readiness.ts";
import { LocalCallLedger } from "#ledger/call-ledger.ts";
import { type DebitOrder, type DebitOutcome, type Ledger, NotCarriedOut } from "#ledger/port.ts";
import { AccountHeld, NotReplicated, OutOfReach, orderFault } from "#stores/postgres/faults.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { createLastingFaults } from "../../../src/apps/node/lasting-faults.ts";
import { explainLedgerFault, isOfOneOrder } from "../../../src/apps/node/ledger-faults.ts";
import { createNodeReadiness } from "../../../src/apps/node/readiness.ts";
import { createFixture } from "../../contract/ledger/fixture.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** `/readyz` on a node: lasting faults, the debits of the last seconds, and the probe. */

const FULL = Object.assign(new NotCarriedOut("database or disk is full"), { errcode: 13 });
const IS_FULL = "Calls fail: the disk of the database is full.";

/** A ledger whose debits and probes fail as the test says, on a clock of its own. */
function open() {
  const lines: string[] = [];
  const add = (message: string) => void lines.push(message);
  const faults = createLastingFaults({ error: add, warn: add, info: add });
  const clock = { ms: 100_000 };
  const state = { debit: null as Error | null, probe: null as Error | null, probes: 0 };
  const ledger = {
    async debit() {
      if (state.debit !== null) throw state.debit;
      return { outcome: "debited", charged: 1, balance: 1 };
    },
    async probe() {
      state.probes += 1;
      if (state.probe !== null) throw state.probe;
      return { ready: true };
    },
  } as unknown as Ledger;
  const elapsed = () => clock.ms;
  const calls = new LocalCallLedger(ledger, 0, elapsed, isOfOneOrder);
  const debits = calls.recentDebits;
  const ready = createNodeReadiness({ ledger, debits, faults, now: () => 0, elapsed });
  const debit = async (error: Error | null, count = 1) => {
    state.debit = error;
    for (let i = 0; i < count; i += 1)
      await calls.debit({} as DebitOrder, true).catch((cause) => assert.equal(cause, error));
  };
  const message = async () => (await ready())?.message ?? null;
  return { lines, faults, clock, state, debit, message };
}

test("a lasting fault that stops calls makes the node unready with its sentence until it is over", async () => {
  const { lines, faults, message } = open();
  faults.set("disk", { message: "The disk is nearly full.", stopsCalls: false });
  assert.equal(await message(), null);
  faults.set("files", { message: "The file is gone.", stopsCalls: true });
  assert.equal(await message(), "The file is gone.");
  faults.clear("files");
  assert.equal(await message(), null);
  assert.deepEqual(lines, [
    "The disk is nearly full.",
    "The file is gone.",
    "This is over: The file is gone.",
  ]);
});

test("while debits succeed nothing is probed, and when they fail no probe makes the node ready", async () => {
  const { clock, state, debit, message } = open();
  state.probe = FULL;
  await debit(null);
  assert.equal(await message(), null);
  clock.ms += 3_000;
  state.probe = null;
  await debit(FULL);
  assert.equal(await message(), IS_FULL);
  assert.equal(state.probes, 0);
});

test("a mix is unready from half of the debits on, and ready again after a second without a fault and a success", async () => {
  const { clock, state, debit, message } = open();
  await debit(null, 5);
  await debit(FULL, 4);
  assert.equal(await message(), null, "most succeed");
  await debit(FULL);
  assert.equal(await message(), IS_FULL);
  await debit(null);
  assert.equal(await message(), null, "most succeed again");
  await debit(FULL, 2);
  for (let round = 0; round < 20; round += 1) {
    clock.ms += 500;
    await debit(null);
    await debit(FULL, 2);
    assert.equal(await message(), IS_FULL, "it does not alternate");
  }
  await debit(null);
  clock.ms += 999;
  assert.equal(await message(), IS_FULL);
  clock.ms += 1;
  assert.equal(await message(), null);
  assert.equal(state.probes, 0);
});

test("without debits the probe decides, at most once a second", async () => {
  const { clock, state, debit, message } = open();
  await debit(FULL);
  clock.ms += 1_000;
  state.probe = FULL;
  for (let i = 0; i < 3; i += 1) assert.equal(await message(), IS_FULL);
  clock.ms += 1_000;
  state.probe = null;
  for (let i = 0; i < 3; i += 1) assert.equal(await message(), null);
  assert.equal(state.probes, 2);
});

test("an error that concerns one order or one account does not make a node unready", async () => {
  const { debit, message } = open();
  const held = Object.assign(new Error("held"), { code: "55P03", severity: "ERROR" });
  for (const error of [
    orderFault(held),
    new AccountHeld("Another transaction holds the account"),
    orderFault(Object.assign(new Error("check"), { code: "23514", severity: "ERROR" })),
    Object.assign(new NotCarriedOut("constraint failed"), { errcode: 275 }),
  ])
    await debit(error);
  assert.equal(await message(), null);
});

/** Readiness over a SQLite file, and an account to debit. */
async function openFile(t: TestContext) {
  const file = path.join(temporaryFolder(t), "toolbooth.sqlite");
  const driver = openNodeSqlite(file);
  t.after(() => driver.close());
  const { ledger } = openSqliteDirect(driver);
  const faults = createLastingFaults({ error() {}, warn() {}, info() {} });
  const clock = { ms: 0 };
  const elapsed = () => clock.ms;
  const calls = new LocalCallLedger(ledger, 0, elapsed, isOfOneOrder);
  const debits = calls.recentDebits;
  const ready = createNodeReadiness({ ledger, debits, faults, now: () => Date.now(), elapsed });
  const recorded: Ledger = {
    ...ledger,
    debit: async (order) => (await calls.debit(order, true)).outcome as DebitOutcome,
  };
  const { account, debit } = createFixture({ ledger: recorded });
  const id = await account("Ada", { credits: 1_000 });
  /** The sentence of the probe and that of a debit, which must agree. */
  async function messages(): Promise<[probe: string | null, debit: string | null]> {
    clock.ms += 10_000;
    const probed = (await ready())?.message ?? null;
    const made = await debit(id).catch(() => null);
    clock.ms += 1;
    const after = (await ready())?.message ?? null;
    assert.equal(made === null, after !== null);
    return [probed, after];
  }
  return { file, driver, messages };
}

const both = (message: string | null) => [message, message];

test("a file that cannot grow, is read-only or locked makes probe and debits fail with its sentence, and is over at once", async (t) => {
  const { file, driver, messages } = await openFile(t);
  assert.deepEqual(await messages(), both(null));
  driver.exec("PRAGMA query_only = ON");
  assert.deepEqual(await messages(), both("Calls fail: the database is read-only."));
  driver.exec("PRAGMA query_only = OFF");
  const other = new DatabaseSync(file);
  t.after(() => other.close());
  driver.exec("PRAGMA busy_timeout = 0");
  other.exec("BEGIN IMMEDIATE");
  const locked = "Calls fail: another process keeps the database locked.";
  assert.deepEqual(await messages(), both(locked));
  other.exec("ROLLBACK");
  assert.deepEqual(await messages(), both(null));
});

test("a damaged file makes probe and debits fail with its sentence, without its path", async (t) => {
  const { file, driver, messages } = await openFile(t);
  driver.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const fd = openSync(file, "r+");
  t.after(() => closeSync(fd));
  writeSync(fd, Buffer.alloc(fstatSync(fd).size - 4_096, 0xff), 0, null, 4_096);
  driver.exec("PRAGMA shrink_memory");
  assert.deepEqual(await messages(), both("Calls fail: the database file is damaged."));
});

test("the probe needs as much space as the debits of a small batch, and does not let the file grow", async (t) => {
  const { driver, messages } = await openFile(t);
  const pages = () => Number(driver.prepare("PRAGMA page_count").get()?.["page_count"]);
  const logged = () => Number(driver.prepare("PRAGMA wal_checkpoint(NOOP)").get()?.["log"]);
  const { ledger } = openSqliteDirect(driver);
  await ledger.probe({ now: 0 });
  await messages();
  driver.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  await ledger.probe({ now: 1 });
  assert.ok(logged() >= 10, `${logged()} pages`);
  const before = pages();
  for (let now = 2; now < 50; now += 1) await ledger.probe({ now });
  assert.equal(pages(), before);
});

test("when debits have used up a file that cannot grow, the probe fails too", async (t) => {
  const { driver, messages } = await openFile(t);
  await messages();
  driver.prepare("PRAGMA max_page_count = 1").get();
  let last = await messages();
  for (let i = 0; i < 900 && last[1] === null; i += 1) last = await messages();
  assert.deepEqual(last, both(IS_FULL));
  driver.prepare("PRAGMA max_page_count = 100000").get();
  assert.deepEqual(await messages(), both(null));
});

test("after the ledger's thread has died, a probe waits as calls do and finds the new thread", async (t) => {
  const workers: Worker[] = [];
  const watch = (worker: Worker) => void workers.push(worker);
  process.on("worker", watch);
  t.after(() => void process.off("worker", watch));
  const thread = await openSqliteThread({ file: path.join(temporaryFolder(t), "a.sqlite") });
  t.after(() => thread.close());
  const faults = createLastingFaults({ error() {}, warn() {}, info() {} });
  const clocks = { now: () => Date.now(), elapsed: () => performance.now() };
  const { ledger } = thread;
  const { recentDebits } = new LocalCallLedger(ledger, 0, clocks.elapsed, isOfOneOrder);
  const ready = createNodeReadiness({ ledger, debits: recentDebits, faults, ...clocks });
  await workers[0]?.terminate();
  assert.equal(await ready(), null);
});

test("a sentence is chosen by the error's code, whatever wraps it, and repeats nothing of its message", () => {
  const secret = "/var/lib/postgresql on db-7.internal";
  const pg = (code: string, severity = "ERROR") =>
    orderFault(Object.assign(new Error(secret), { code, severity }));
  for (const [error, sentence] of [
    [pg("53100"), IS_FULL],
    [pg("25006"), "Calls fail: the database is a standby or read-only."],
    [pg("57P03", "FATAL"), "Calls fail: the database is starting or stopping."],
    [pg("XX001"), "Calls fail: the database is damaged."],
    [new NotReplicated(secret), "Calls fail: the synchronous standby of the database is missing."],
    [new OutOfReach(secret), "Calls fail: the database is unreachable."],
    [new Error("Query read timeout"), "Calls fail: the database does not respond in time."],
    [new Error("The ledger's thread died"), "Calls fail: the ledger is restarting."],
    [new Error(secret), NOT_ACCEPTED],
    [secret, NOT_ACCEPTED],
  ] as const) {
    assert.equal(explainLedgerFault(error), sentence);
    assert.equal(explainLedgerFault(new NotCarriedOut("a", { cause: error })), sentence);
  }
});
