import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { NotCarriedOut } from "#ledger/port.ts";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { measurePostgres } from "#stores/postgres/operator.ts";
import { keepPartitions } from "#stores/postgres/partitions.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { explainLedgerFault } from "../../../../src/apps/node/ledger-faults.ts";
import { createFixture } from "../../../contract/ledger/fixture.ts";
import {
  borrowDatabase,
  type Node,
  newDatabase,
  openNode,
  openNodes,
  openOnly,
} from "../fixture.ts";
import { ownServer } from "./fixture.ts";

/** A node is ready if its debits would succeed now. */
const NOW = Date.now();

test("a node is not ready while a table that debits write to is locked, and is ready afterwards", async (t) => {
  const node = await openNode(await borrowDatabase(t), "caller", LEDGER_TIMEOUT_MS);
  t.after(() => node.close());
  await keepPartitions(node.pool, NOW, 0);
  const probe = () => node.ledger.probe({ now: NOW });
  for (const [table, mode] of [
    ["debit", "SHARE"],
    ["credit_grant", "SHARE"],
    ["api_key", "SHARE"],
    ["idempotency", "SHARE"],
    ["account", "EXCLUSIVE"],
  ]) {
    await node.pool.transaction("write", async (query) => {
      await query(`LOCK TABLE ${table} IN ${mode} MODE`);
      await assert.rejects(probe(), `${table} is held`);
    });
    assert.deepEqual(await probe(), { ready: true });
  }
});

test("a node whose debits fail is not ready", async (t) => {
  const node = await openNode(await newDatabase());
  t.after(() => node.close());
  await node.pool.once("upkeep", "ALTER TABLE debit ADD CONSTRAINT none CHECK (false)");
  await assert.rejects(node.ledger.probe({ now: NOW }), NotCarriedOut);
});

test("a locked row does not make a node unready, and the probe leaves nothing behind", async (t) => {
  const [node, other] = (await openNodes(t, "caller", "caller")) as [Node, Node];
  const { account, debit } = createFixture(node);
  const id = await account("Ada", { credits: 5 });
  await debit(id, { now: NOW });
  await node.pool.transaction("write", async (query) => {
    for (const table of ["account", "api_key", "credit_grant", "debit", "setting", "usage_hour"])
      await query(`SELECT 1 FROM ${table} FOR UPDATE`);
    const asked = [node, other, node, other].map(({ ledger }) => ledger.probe({ now: NOW }));
    for (const response of await Promise.all(asked)) assert.deepEqual(response, { ready: true });
  });
  const [left] = await node.pool.once(
    "read",
    "SELECT (SELECT count(*) FROM debit) AS debits, (SELECT count(*) FROM setting WHERE name <> 'secret') AS notes",
  );
  assert.deepEqual(left, { debits: 1, notes: 0 });
});

test("measures the database, and the age of a transaction that is open", async (t) => {
  const node = await openOnly(t);
  const idle = await measurePostgres(node.pool);
  assert.ok(idle.bytes > 5e6);
  // A vacuum of the server may be under way.
  while ((await measurePostgres(node.pool)).oldestTransactionMs > 0) await wait(20);
  await node.pool.transaction("snapshot", async (query) => {
    await query("SELECT 1 FROM account");
    assert.ok((await measurePostgres(node.pool)).oldestTransactionMs >= 0);
    await query("SELECT pg_sleep(0.002)");
    assert.ok((await measurePostgres(node.pool)).oldestTransactionMs > 0);
  });
});

test("a probe takes as many round trips as a debit, with the same time limits, so that a slow network fails both or none", async (t) => {
  const pool = openPostgresPool(await borrowDatabase(t), { max: 4 });
  t.after(() => pool.close());
  const sent: string[] = [];
  const noted = <Made>(mode: string, made: Made): Made => {
    sent.push(mode);
    return made;
  };
  const watched: PostgresPool = {
    ...pool,
    once: (mode, ...rest) => noted(mode, pool.once(mode, ...rest)),
    together: (mode, statements) => noted(mode, pool.together(mode, statements)),
    transaction: (mode, body) => noted(mode, pool.transaction(mode, body)),
    roundTrips: (mode, body) =>
      pool.roundTrips(mode, (send) => body((message) => noted(mode, send(message)))),
  };
  const { ledger, close } = createPostgresLedger(watched);
  t.after(close);
  const { account, debit } = createFixture({ ledger });
  const id = await account("Ada", { credits: 5 });
  const sentBy = async (act: () => Promise<unknown>) => {
    sent.length = 0;
    await act();
    return [...sent];
  };
  assert.deepEqual(
    await sentBy(() => ledger.probe({ now: NOW })),
    await sentBy(() => debit(id, { now: NOW })),
  );
  assert.deepEqual(sent, ["batch", "batch"]);
});

test("on a full disk the probe fails although the row of a debit still fits into a page", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-full-"));
  const isMounted =
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=32m", "tmpfs", folder]).status === 0;
  const unmount = () => {
    if (isMounted) spawnSync("umount", [folder]);
    rmdirSync(folder);
  };
  if (!isMounted) {
    unmount();
    return t.skip("this user may not mount");
  }
  const { server } = await ownServer();
  const url = await server.createDatabase();
  const name = new URL(url).pathname.slice(1);
  const elsewhere = openPostgresPool(server.url("postgres"), { max: 1 });
  const admin = (sql: string) => elsewhere.connections.query(sql);
  const { uid, gid } = statSync(server.folder);
  chownSync(folder, uid, gid);
  await admin(`CREATE TABLESPACE small LOCATION '${folder}'`);
  await admin(`ALTER DATABASE ${name} SET TABLESPACE small`);
  const node = await openNode(url);
  t.after(async () => {
    await node.close();
    await admin(`ALTER DATABASE ${name} SET TABLESPACE pg_default`);
    await admin("DROP TABLESPACE small");
    await elsewhere.close();
    unmount();
  });
  const { account, debit } = createFixture(node);
  const id = await account("Ada", { credits: 5 });
  await debit(id, { now: NOW });
  const probe = () => node.ledger.probe({ now: NOW });
  assert.deepEqual(await probe(), { ready: true });
  const filler = path.join(folder, "filler");
  fill(filler);
  await debit(id, { now: NOW });
  const fault = await probe().catch((error) => error);
  assert.equal(explainLedgerFault(fault), "Calls fail: the disk of the database is full.");
  rmSync(filler);
  assert.deepEqual(await probe(), { ready: true });
});

function fill(file: string): void {
  const fd = openSync(file, "w");
  for (let piece = 1_048_576; piece >= 512; ) {
    try {
      writeSync(fd, Buffer.alloc(piece, 1));
    } catch {
      piece /= 2;
    }
  }
  closeSync(fd);
}
