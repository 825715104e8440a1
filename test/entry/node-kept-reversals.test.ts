import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { CallRef } from "#ledger/port.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openDataFolder } from "../../src/entry/data-folder.ts";
import { startGivingBack } from "../../src/entry/node-giving-back.ts";
import { openKeptFiles } from "../../src/entry/node-kept-reversals.ts";
import { assertBooks, createScene } from "../contract/ledger/scene.ts";
import { startServer, temporaryFolder } from "../doors/server-process.ts";

/** Calls that a stop could not give back: a file of the data folder, which the next start carries out. */
const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 15);
const callOf = (no: number): CallRef => ({ account: "acc_Ada", callId: `call_${no}`, at: NOW });
const callsUpTo = (count: number) => Array.from({ length: count }, (_, no) => callOf(no));

function openScene(t: TestContext, folder = temporaryFolder(t)) {
  const complaints: string[] = [];
  const reversed: string[] = [];
  /** Debits that are there; null: all. */
  const ledger = {
    fails: false,
    finds: true,
    async reverse({ callId }: CallRef) {
      if (ledger.fails) throw new Error("no ledger");
      if (ledger.finds) reversed.push(callId);
      return { reversed: ledger.finds };
    },
  };
  const open = () => openKeptFiles(folder, (message) => complaints.push(message));
  return { folder, complaints, reversed, ledger, open, names: () => readdirSync(folder) };
}

async function tick(t: TestContext, ms: number): Promise<void> {
  t.mock.timers.tick(ms);
  for (let turns = 0; turns < 50; turns += 1) await turn();
}

test("what a stop leaves is in one file, each call is told, and the next start gives it back and removes the file", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: NOW });
  const scene = openScene(t);
  const calls = callsUpTo(500);
  const stopping = scene.open();
  stopping.keep(calls, NOW);
  stopping.keep([...calls.slice(3), ...calls], NOW + 1);
  assert.equal(scene.names().length, 1);
  assert.equal(scene.complaints.length, 500, "once each");
  const file = path.join(scene.folder, scene.names()[0] as string);
  assert.equal(
    scene.complaints[7],
    `The call call_7 of acc_Ada could not be given back before the stop: it is kept in ${file} for the next start`,
  );
  const [first] = readFileSync(file, "utf8").split("\n");
  assert.deepEqual(JSON.parse(first as string), { ...callOf(0), keptAt: NOW });

  const kept = scene.open();
  assert.equal(kept.count(), 500);
  startGivingBack(kept, scene.ledger, assert.fail);
  for (let round = 0; round < 10; round += 1) await tick(t, 50);
  assert.deepEqual(scene.reversed.toSorted(), calls.map(({ callId }) => callId).toSorted());
  assert.deepEqual([scene.names(), kept.count()], [[], 0]);
  await tick(t, 10 * MINUTE);
  assert.equal(scene.reversed.length, 500);
});

test("a ledger that fails is asked again, later each time, and a stop meanwhile leaves the file as it was", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: NOW });
  const scene = openScene(t);
  scene.open().keep(callsUpTo(2), NOW);
  scene.ledger.fails = true;
  const first = startGivingBack(scene.open(), scene.ledger, assert.fail);
  await tick(t, 50);
  await tick(t, MINUTE);
  first.stop();
  await tick(t, 10 * MINUTE);
  assert.equal(scene.names().length, 1);
  scene.ledger.fails = false;
  startGivingBack(scene.open(), scene.ledger, assert.fail);
  await tick(t, 50);
  assert.deepEqual([scene.reversed, scene.names()], [["call_0", "call_1"], []]);
});

test("a debit that is not there may still be on its way: it is looked for once more a minute after the stop", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: NOW });
  const scene = openScene(t);
  scene.open().keep(callsUpTo(1), NOW);
  scene.ledger.finds = false;
  startGivingBack(scene.open(), scene.ledger, assert.fail);
  await tick(t, 50);
  assert.equal(scene.names().length, 1);
  await tick(t, MINUTE);
  await tick(t, MINUTE);
  assert.deepEqual(scene.names(), []);
});

test("files of several stops are carried out each by itself, and one with a line that names no call stays", async (t) => {
  const scene = openScene(t);
  scene.open().keep(callsUpTo(1), NOW);
  scene.open().keep([callOf(1), callOf(2)], NOW + 1);
  const [, second] = scene.names().toSorted();
  appendFileSync(path.join(scene.folder, second as string), '{"account":7}\nnonsense\n');
  writeFileSync(path.join(scene.folder, "give-back-3.jsonl.part"), "half a li");
  scene.complaints.length = 0;
  const kept = scene.open();
  assert.equal(kept.count(), 3);
  assert.deepEqual(
    scene.complaints.map((text) => text.replace(/ of .+;/, " of it;")),
    ["Line 3 of it; it is left there", "Line 4 of it; it is left there"],
  );
  await kept.done([callOf(0), callOf(1)]);
  assert.equal(scene.names().length, 2);
  await kept.done([callOf(2)]);
  assert.deepEqual(scene.names().toSorted(), ["give-back-3.jsonl.part", second].toSorted());
});

test("two nodes that share a folder and start at once give back the same, and neither minds that the other was first", async (t) => {
  const scene = openScene(t);
  scene.open().keep(callsUpTo(3), NOW);
  const [one, other] = [scene.open(), scene.open()];
  await one.done(callsUpTo(3));
  await other.done(callsUpTo(3));
  assert.deepEqual(scene.names(), []);
});

test("a data folder that was never made holds nothing; where it takes nothing, each call is told as lost", (t) => {
  const scene = openScene(t);
  const folder = path.join(scene.folder, "made/later");
  const complaints: string[] = [];
  const complain = (message: string) => complaints.push(message);
  openKeptFiles(folder, complain).keep(callsUpTo(1), NOW);
  assert.equal(openKeptFiles(folder, assert.fail).count(), 1);
  complaints.length = 0;
  const taken = path.join(scene.folder, "taken");
  writeFileSync(taken, "");
  openKeptFiles(path.join(taken, "below"), complain).keep(callsUpTo(2), NOW);
  assert.deepEqual(complaints.slice(-2), [
    `The call call_0 of acc_Ada could neither be given back before the stop nor kept in ${taken}/below`,
    `The call call_1 of acc_Ada could neither be given back before the stop nor kept in ${taken}/below`,
  ]);
});

test("a node with a file of its own carries out what its last stop left", {
  timeout: 60_000,
}, async (t) => {
  const DATA_DIR = path.join(temporaryFolder(t), "data");
  mkdirSync(DATA_DIR);
  const open = () => {
    const driver = openDataFolder(DATA_DIR);
    return { driver, scene: createScene(openSqliteDirect(driver)) };
  };
  const before = open();
  const account = await before.scene.account("Ada", { credits: 5 });
  const now = Date.now();
  const order = before.scene.debitOrder(account, { now });
  await before.scene.ledger.debit(order);
  before.driver.close();
  openKeptFiles(DATA_DIR, () => {}).keep([{ account, callId: order.callId, at: now }], now);
  const server = await startServer(t, { DATA_DIR });
  while (readdirSync(DATA_DIR).some((name) => name.startsWith("give-back-"))) await turn();
  assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
  const { driver, scene } = open();
  const { books } = await assertBooks(scene.ledger, Date.now());
  assert.deepEqual([books.debited, books.reversed, await scene.balance(account)], [1, 1, 5]);
  driver.close();
});
