import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { TransferError } from "#ledger/transfer/records.ts";
import { exportPostgres, importPostgres } from "#stores/postgres/transfer.ts";
import { openNetwork } from "../../support/postgres-proxy.ts";
import { type Goal, holdExports, holdImports, MANY } from "../transfer-contract.ts";
import { bytesOf, fillLedger, linesOf, NOW, openEmpty } from "../transfer-fixture.ts";
import { borrowDatabase, emptyDatabase, newDatabase } from "./fixture.ts";
import { openFresh, openStore } from "./transfer-fixture.ts";

/** The same database each time, without its rows. */
let reused: ReturnType<typeof openStore> | undefined;
after(() => reused?.close());

async function openGoal(): Promise<Goal> {
  reused ??= openStore(await newDatabase());
  await emptyDatabase(reused.pool);
  return reused;
}

holdImports("PostgreSQL", openGoal);
holdExports("PostgreSQL", openGoal);

test("an export of PostgreSQL shows one moment, whatever is written concurrently, and blocks no writer", async (t) => {
  const store = await openFresh(t);
  await fillLedger(store);
  const before = await store.lines();
  let opening: Promise<unknown> | undefined;
  const chunks: Uint8Array[] = [];
  await exportPostgres(store.pool, { secret: null }, (bytes) => {
    // The snapshot starts with the first record, after the header.
    if (chunks.length === 1)
      opening = store.ledger.openAccount({ account: "acc_z", freeCall: "open", now: 1 });
    chunks.push(bytes);
  });
  assert.deepEqual(await opening, { opened: true });
  assert.deepEqual(Buffer.concat(chunks).toString().trimEnd().split("\n"), before);
  assert.equal((await store.lines()).length, before.length + 1);
});

describe("an import into a PostgreSQL that is in use", () => {
  test("if two are imported concurrently, one is rejected", async (t) => {
    const url = await borrowDatabase(t);
    const stores = [openStore(url), openStore(url)];
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const from = openEmpty(t);
    from.exec(MANY);
    const lines = linesOf(from);
    const came = await Promise.allSettled(stores.map((store) => store.take(lines)));
    assert.deepEqual(came.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const [refused] = came.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    assert.ok(refused instanceof TransferError && /not empty/.test(refused.message));
    assert.deepEqual(await stores[0]?.lines(), lines);
  });

  test("leaves nothing behind if its connection breaks, and the next one succeeds", async (t) => {
    const url = new URL(await borrowDatabase(t));
    const network = await openNetwork(Number(url.port));
    const direct = openStore(url.href);
    url.port = String(network.port);
    const far = openStore(url.href);
    t.after(() => Promise.all([far.close(), direct.close()]).then(() => network.close()));
    const from = openEmpty(t);
    from.exec(MANY);
    const lines = linesOf(from);
    function* breaking() {
      for (const [at, line] of bytesOf(lines).entries()) {
        if (at === 3_000) network.cut();
        yield line;
      }
    }
    await assert.rejects(importPostgres(far.pool, breaking(), { now: NOW, keptFrom: NOW }));
    assert.equal(await direct.isEmpty(), true);
    await far.take(lines);
    assert.deepEqual(await direct.lines(), lines);
  });

  test("rejects a character that PostgreSQL cannot store, with its line and member", async () => {
    const to = await openGoal();
    const account = {
      record: "account",
      id: "a\u0000",
      createdAt: 1,
      state: "open",
      freeCall: "open",
      lowBalance: 20,
      notifiedLevel: "gone",
    };
    const header = { record: "header", format: "toolbooth-ledger", version: 1 };
    const trailer = { record: "trailer", counts: { account: 2 } };
    const lines = [header, { ...account, id: "acc_Bob000000000" }, account, trailer];
    await assert.rejects(
      to.take(lines.map((line) => JSON.stringify(line))),
      /^Error: Line 3 is an invalid record of kind "account" \(id: .*u0000/,
    );
    assert.equal(await to.isEmpty(), true);
  });
});
