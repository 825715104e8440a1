import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { RequestsView } from "#api/dashboard/shapes.ts";
import {
  type FleetNode,
  openMember,
  openVisitor,
  sharedFleet,
  statusOf,
  tokenFor,
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

  test("a user signs up, confirms and signs in on any node, and what one node does the others know at the next request", async () => {
    const { ask, credentials } = await openMember(nodes);
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

    const closed = await ask(one, "POST", "/dashboard/account/close", credentials);
    assert.equal(closed.status, 200, JSON.stringify(closed.body));
    assert.equal(await statusOf(other, secret), 401);
    assert.equal((await ask(other, "GET", "/dashboard/home")).status, 401);
  });

  test("an address that signs up on both nodes at once becomes one user", async () => {
    const email = "twice@example.com";
    const credentials = { name: "", email, password: "correct horse battery staple" };
    const [here, there] = ["10.2.0.1", "10.2.0.2"].map(openVisitor) as [Visitor, Visitor];
    const signUp = ["POST", "/dashboard/auth/sign-up/email", credentials] as const;
    const responses = await Promise.all([here(one, ...signUp), there(other, ...signUp)]);
    // Both get the same response, whichever came first.
    for (const { status } of responses) assert.equal(status, 200);
    const token = await tokenFor(nodes, email);
    const signIn = ["POST", "/dashboard/auth/sign-in/email", credentials] as const;
    // With the right password, both browsers count as those that signed up.
    for (const visitor of [here, there]) assert.equal((await visitor(one, ...signIn)).status, 403);
    const verify = ["POST", "/dashboard/auth/verify-email", { token }] as const;
    await Promise.all([here(one, ...verify), there(other, ...verify)]);
    assert.equal((await here(one, ...signIn)).status, 200);
    const { body } = await here(other, "GET", "/dashboard/credits");
    const { grants } = body as { grants: { kind: string; amount: number }[] };
    assert.deepEqual(
      grants.map(({ kind, amount }) => [kind, amount]),
      [["starter", 100]],
    );
  });

  test("the request limits of a network apply to all nodes together", async () => {
    const ask = openVisitor("10.4.0.1");
    const wanted = { email: "nobody@example.com" };
    // Concurrent, because one request becomes available again after a while.
    const responses = await Promise.all(
      [one, one, other, one, other, other, one, other].map((node) =>
        ask(node, "POST", "/dashboard/auth/request-password-reset", wanted),
      ),
    );
    const statuses = responses.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429, 429, 429]);
  });
});
