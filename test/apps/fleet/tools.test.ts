import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../http/test-api.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { BEHIND_PROXY, openAccounts, startNode } from "./fixture.ts";

test("a node that serves other tools than a live one is ready, says so in /readyz, and warns once", async (t) => {
  const DATABASE_URL = await (await sharedPostgres()).createDatabase();
  const env = { DATABASE_URL, ...BEHIND_PROXY };
  const some = await startNode(t, { ...env, TOOLBOOTH_BUILT_IN_TOOLS: "hash,uuid" });
  const { pool } = await openAccounts(t, DATABASE_URL);
  await eventually("the first node has said what it serves", async () => {
    const said = await pool.once("read", "SELECT 1 FROM setting WHERE name LIKE 'tools:%'");
    return said.length === 1;
  });
  assert.deepEqual(await (await fetch(`${some.base}/readyz`)).json(), { ok: true });
  const other = await startNode(t, { ...env, TOOLBOOTH_BUILT_IN_TOOLS: "hash,echo" });
  let body: { ok?: boolean; warnings?: string[] } = {};
  await eventually("the second node knows of the first", async () => {
    const response = await fetch(`${other.base}/readyz`);
    assert.equal(response.status, 200);
    body = (await response.json()) as typeof body;
    return body.warnings !== undefined;
  });
  assert.equal(body.ok, true);
  assert.match(
    body.warnings?.join("\n") ?? "",
    /^Another node of the fleet serves other tools than this one: echo is only here, uuid is only there\. .+$/,
  );
  assert.deepEqual(await (await fetch(`${other.base}/healthz`)).json(), { ok: true });
  const warnings = () =>
    other
      .log()
      .split("\n")
      .filter((line) => line.includes("Another node of the fleet"));
  // What a process writes arrives when it does, also after a later response.
  await eventually("the log has the warning", async () => warnings().length > 0);
  assert.equal(warnings().length, 1);
  assert.match(warnings()[0] ?? "", /"level":"warn"/);
});
