import assert from "node:assert/strict";
import { test } from "node:test";
import { exchangeTools } from "#stores/postgres/settings.ts";
import { type Node, openNodes } from "./fixture.ts";

/** What nodes say in PostgreSQL of the tools that they serve. */
test("a node learns what live nodes with other tools serve, and what nobody says any more is deleted", async (t) => {
  const [{ pool: one }, { pool: two }] = (await openNodes(t, "caller", "caller")) as [Node, Node];
  const liveMs = 60_000;
  const old = { print: "1", tools: { "word-count": "it's \\ old" }, liveMs };
  const recent = { print: "2", tools: { "word-count": "new", hash: "same" }, liveMs };
  assert.deepEqual(await exchangeTools(one, old), []);
  assert.deepEqual(await exchangeTools(two, old), [], "the same tools are no difference");
  assert.deepEqual(await exchangeTools(two, recent), [old.tools]);
  assert.deepEqual(await exchangeTools(one, old), [recent.tools]);

  // As if the other node had been silent for longer than it is taken for live.
  assert.deepEqual(await exchangeTools(two, { ...recent, liveMs: -1 }), []);
  const rows = await one.once<{ name: string }>(
    "read",
    "SELECT name FROM setting WHERE name LIKE 'tools:%'",
  );
  assert.deepEqual(rows, [{ name: "tools:2" }]);
});

test("what another node is just saying again is not waited for, and stays", async (t) => {
  const [{ pool: one }, { pool: two }] = (await openNodes(t, "caller", "caller")) as [Node, Node];
  const saidBy = (print: string, liveMs: number) => ({ print, tools: { hash: print }, liveMs });
  await exchangeTools(one, saidBy("1", 60_000));
  await one.transaction("write", async (query) => {
    await query("UPDATE setting SET value = value WHERE name = 'tools:1'");
    assert.deepEqual(await exchangeTools(two, saidBy("2", -1)), []);
  });
  assert.deepEqual(await exchangeTools(two, saidBy("2", 60_000)), [{ hash: "1" }]);
});
