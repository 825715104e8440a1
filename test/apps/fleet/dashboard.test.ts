import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { RequestsView } from "#api/dashboard/shapes.ts";
import {
  codesFor,
  type FleetNode,
  openMember,
  openVisitor,
  sharedFleet,
  statusOf,
  type Visitor,
} from "./fixture.ts";

/** Users of a fleet, whose requests may go to different nodes. */
describe("the dashboard of a fleet", () => {
  let nodes: FleetNode[];
  let one: FleetNode;
  let other: FleetNode;
  before(async () => {
    ({ nodes } = await sharedFleet());
    [one, other] = nodes as [FleetNode, FleetNode];
  });

  type Made = { key: { id: string }; secret: string };
  async function makeKey(ask: Visitor, node: FleetNode): Promise<Made> {
    const { status, body } = await ask(node, "POST", "/dashboard/keys", { label: "test" });
    assert.equal(status, 201, JSON.stringify(body));
    return body as Made;
  }

  test("a user signs up on any node, and what one node does the others know at the next request", async () => {
    const { ask, email } = await openMember(nodes);
    const { secret } = await makeKey(ask, other);
    assert.deepEqual([await statusOf(one, secret), await statusOf(other, secret)], [200, 200]);
    const { body } = await ask(other, "GET", "/dashboard/home");
    // The first call was free, the second was charged.
    assert.equal((body as { balance: number }).balance, 99);
    // The request log gets the calls of both nodes.
    const log = () => ask(one, "GET", "/dashboard/requests?status=ok");
    while (((await log()).body as RequestsView).requests.length < 2) await wait(20);

    for (const [here, there] of [
      [one, other],
      [other, one],
    ] as const) {
      const { key, secret } = await makeKey(ask, here);
      assert.equal(await statusOf(there, secret), 200);
      assert.equal((await ask(here, "DELETE", `/dashboard/keys/${key.id}`)).status, 200);
      assert.equal(await statusOf(there, secret), 401);
    }

    const closed = await ask(one, "POST", "/dashboard/account/close", { email });
    assert.equal(closed.status, 200, JSON.stringify(closed.body));
    assert.equal(await statusOf(other, secret), 401);
    assert.equal((await ask(other, "GET", "/dashboard/home")).status, 401);
  });

  test("an address that signs up on both nodes at once becomes one user", async () => {
    const email = "twice@example.com";
    const [here, there] = ["10.2.0.1", "10.2.0.2"].map(openVisitor) as [Visitor, Visitor];
    const start = ["POST", "/dashboard/auth/sign-in/start", { email }] as const;
    assert.equal((await here(one, ...start)).status, 200);
    const [first] = await codesFor(nodes, email, 1);
    assert.equal((await there(other, ...start)).status, 200);
    const second = (await codesFor(nodes, email, 2)).find((code) => code !== first);
    const enter = (code: string | undefined) =>
      ["POST", "/dashboard/auth/sign-in/code", { code }] as const;
    const responses = await Promise.all([
      here(other, ...enter(first)),
      there(one, ...enter(second)),
    ]);
    for (const { status, body } of responses) assert.equal(status, 200, JSON.stringify(body));
    const { body } = await here(other, "GET", "/dashboard/credits");
    const { grants } = body as { grants: { kind: string; amount: number }[] };
    assert.deepEqual(
      grants.map(({ kind, amount }) => [kind, amount]),
      [["starter", 100]],
    );
  });

  test("the request limits of a network apply to all nodes together", async () => {
    const ask = openVisitor("10.4.0.1");
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_, turn) => (turn % 2 === 0 ? one : other)).map((node) =>
        ask(node, "POST", "/dashboard/auth/sign-in/code", { code: "12345678" }),
      ),
    );
    const refused = responses.filter(({ status }) => status === 429);
    const tried = responses.filter(({ status }) => status === 400);
    // A node also lets a client make ten changes at once and five a second.
    assert.ok(tried.length <= 20, `${tried.length}`);
    assert.equal(tried.length + refused.length, 24);
  });
});
