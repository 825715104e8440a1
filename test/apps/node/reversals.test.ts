import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { callRef } from "#ids.ts";
import { reversalJob } from "#jobs/reverse-calls.ts";
import type { CallRef } from "#ledger/port.ts";
import { openReversalFile, openReversals } from "../../../src/apps/node/reversals.ts";
import { random } from "../../../src/apps/node/runtime.ts";
import { eventually } from "../../http/test-api.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Calls that a node must reverse are written to a file in the data folder, so that a kill does not lose them. */
const NOW = Date.now();
const callOf = (no: number): CallRef => ({ account: "acc_Ada", callId: `call_${no}`, at: NOW });
const callsUpTo = (count: number) => Array.from({ length: count }, (_, no) => callOf(no));

function openFixture(t: TestContext, folder = temporaryFolder(t)) {
  const loggedErrors: string[] = [];
  const reversed: string[] = [];
  const ledger = {
    fails: false,
    async reverse({ callId }: CallRef) {
      if (ledger.fails) throw new Error("no ledger");
      reversed.push(callId);
      return { reversed: true };
    },
  };
  const open = (dataDir = folder, pace = {}) =>
    openReversals(dataDir, ledger, random, (message) => void loggedErrors.push(message), pace);
  const file = path.join(folder, "reversals.sqlite");
  const storedCalls = () => {
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare("SELECT id FROM job ORDER BY no").all();
    database.close();
    return rows.map(({ id }) => id);
  };
  return { folder, file, loggedErrors, reversed, ledger, open, storedCalls };
}

test("writes nothing until there is a call to reverse, and then reverses it at once", async (t) => {
  const fixture = openFixture(t);
  const reversals = fixture.open();
  assert.equal(existsSync(fixture.file), false);
  reversals.reverseLater(callOf(1));
  await eventually("it is reversed", async () => fixture.reversed.length === 1);
  await eventually("it is done", async () => fixture.storedCalls().length === 0);
  await reversals.stop();
  await reversals.close();
  assert.deepEqual([fixture.reversed, fixture.loggedErrors], [["call_1"], []]);
});

test("keeps and logs the calls that a stop leaves, and the next start reverses them", async (t) => {
  const fixture = openFixture(t);
  fixture.ledger.fails = true;
  const stopping = fixture.open();
  for (const call of callsUpTo(500)) stopping.reverseLater(call);
  await eventually(
    "they are kept",
    async () => existsSync(fixture.file) && fixture.storedCalls().length === 500,
  );
  await stopping.stop();
  // A call that arrives while the ledger is closed.
  stopping.reverseLater(callOf(500));
  await stopping.close();
  const reported = fixture.loggedErrors.filter((line) =>
    line.includes("was not reversed before shutdown"),
  );
  assert.equal(new Set(reported).size, 501);
  assert.equal(reported.length, 501, "once each");
  assert.equal(
    reported[7],
    `Call ${reversalJob(callOf(7)).id} was not reversed before shutdown; it stays in ${fixture.file} for the next start`,
  );

  fixture.ledger.fails = false;
  const next = fixture.open();
  await eventually("all are reversed", async () => fixture.storedCalls().length === 0);
  assert.deepEqual(
    fixture.reversed.toSorted(),
    callsUpTo(501)
      .map(({ callId }) => callId)
      .toSorted(),
  );
  await next.stop();
  await next.close();
});

test("two processes on one folder reverse each call once that a killed one has left", async (t) => {
  const fixture = openFixture(t);
  const left = openReversalFile(fixture.file);
  await left.jobs.add({ jobs: callsUpTo(30).map(reversalJob), now: NOW });
  left.close();
  const nodes = [fixture.open(), fixture.open()];
  await eventually("all are reversed", async () => fixture.storedCalls().length === 0);
  assert.equal(new Set(fixture.reversed).size, 30);
  assert.equal(fixture.reversed.length, 30);
  for (const node of nodes) {
    await node.stop();
    await node.close();
  }
});

for (const [what, lose] of [
  ["deleted", (file: string) => rmSync(file)],
  [
    "deleted with its log",
    (file: string) => {
      for (const end of ["", "-wal", "-shm"]) rmSync(file + end);
    },
  ],
] as const) {
  test(`writes the calls again if the file is ${what}`, async (t) => {
    const fixture = openFixture(t);
    fixture.ledger.fails = true;
    const reversals = fixture.open();
    for (const call of callsUpTo(5)) reversals.reverseLater(call);
    const areKept = async () => existsSync(fixture.file) && fixture.storedCalls().length === 5;
    await eventually("they are kept", areKept);
    lose(fixture.file);
    await reversals.stop();
    await reversals.close();
    assert.ok(await areKept());
    assert.ok(
      fixture.loggedErrors.includes(
        `${fixture.file} was deleted or replaced while the server was running; its 5 calls to reverse were written to it again`,
      ),
    );
  });
}

test("tries a call even if the folder is read-only, and names it in the log if that fails", async (t) => {
  const fixture = openFixture(t);
  const taken = path.join(fixture.folder, "taken");
  writeFileSync(taken, "");
  const reversals = fixture.open(path.join(taken, "below"));
  reversals.reverseLater(callOf(0));
  await eventually("it is reversed", async () => fixture.reversed.length === 1);
  fixture.ledger.fails = true;
  reversals.reverseLater(callOf(1));
  const named = `Storing the reversals of ${callRef(callOf(1))} in `;
  await eventually("it is told", async () =>
    fixture.loggedErrors.some((line) => line.startsWith(named)),
  );
  await reversals.stop();
  await reversals.close();
});

test("logs an unreadable file and starts anyway", async (t) => {
  const fixture = openFixture(t);
  writeFileSync(fixture.file, "this is not a database, whatever its name says");
  const reversals = fixture.open();
  assert.match(
    fixture.loggedErrors.join(),
    /^Reading pending reversals from .*reversals\.sqlite failed/,
  );
  await reversals.stop();
  await reversals.close();
});

test("a call that cannot be stored is named in the log, and reversed once the ledger or the file is back", async (t) => {
  for (const isBack of ["the ledger", "the file"]) {
    const fixture = openFixture(t);
    fixture.ledger.fails = true;
    const reversals = fixture.open(fixture.folder, { retryMs: 5 });
    mkdirSync(fixture.file);
    await reversals.reverseLater(callOf(1));
    assert.ok(fixture.loggedErrors[0]?.includes(callRef(callOf(1))), fixture.loggedErrors[0]);
    assert.match(fixture.loggedErrors[0] ?? "", /calls show.*calls reverse/);
    if (isBack === "the file") {
      rmdirSync(fixture.file);
      const isStored = () => existsSync(fixture.file) && fixture.storedCalls().length === 1;
      await eventually("the call is stored", async () => isStored());
    }
    fixture.ledger.fails = false;
    await eventually("the call is reversed", async () => fixture.reversed.length === 1);
    await reversals.stop();
    await reversals.close();
  }
});
