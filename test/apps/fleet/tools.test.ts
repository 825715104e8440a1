import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../http/test-api.ts";
import { BEHIND_PROXY, sharedFleet, startNode } from "./fixture.ts";

test("a node that serves other tools than a live one is ready, says so in /readyz, and warns once", async (t) => {
  const { nodes, url } = await sharedFleet();
  assert.deepEqual(await (await fetch(`${nodes[0]?.base}/readyz`)).json(), { ok: true });
  const env = { DATABASE_URL: url, ...BEHIND_PROXY };
  const other = await startNode(t, { ...env, TOOLBOOTH_BUILT_IN_TOOLS: "hash,echo" });
  let body: { ok?: boolean; warnings?: string[] } = {};
  await eventually("the node knows of the others", async () => {
    const response = await fetch(`${other.base}/readyz`);
    assert.equal(response.status, 200);
    body = (await response.json()) as typeof body;
    return body.warnings !== undefined;
  });
  assert.equal(body.ok, true);
  assert.match(
    body.warnings?.join("\n") ?? "",
    /^Another node of the fleet serves other tools than this one: markdown-render is only there, qr-code is only there, uuid is only there\. .+$/,
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
