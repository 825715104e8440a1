import assert from "node:assert/strict";
import { test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import { keepPartitions } from "#stores/postgres/partitions.ts";
import { createFixture } from "../../contract/ledger/fixture.ts";
import { newDatabase, openNode } from "./fixture.ts";

/** A node is ready if its debits would succeed now. */
const NOW = Date.now();

test("a node is not ready while a table that debits write to is locked, and is ready afterwards", async (t) => {
  const node = await openNode(await newDatabase());
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
  const url = await newDatabase();
  const [node, other] = await Promise.all([openNode(url), openNode(url)]);
  t.after(() => Promise.all([node.close(), other.close()]));
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
