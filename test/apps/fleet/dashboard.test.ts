import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { RequestsView } from "#api/dashboard/shapes.ts";
import { eventually } from "../../http/test-api.ts";
import {
  BEHIND_PROXY,
  type FleetNode,
  openCaller,
  openVisitor,
  startFleetDatabase,
  startNodes,
  tokenFor,
  type Visitor,
} from "../../support/fleet.ts";
import type { Postgres } from "../../support/postgres.ts";

/** Users of a fleet, whose requests may go to different nodes. */
const PASSWORD = "correct horse battery staple";
let server: Postgres;
let nodes: FleetNode[] = [];
const closing: (() => unknown)[] = [];
const hooks = { after: (close: () => unknown) => void closing.push(close) };

before(async () => {
  server = await startFleetDatabase();
  const url = await server.createDatabase();
  nodes = await startNodes(hooks, 2, { DATABASE_URL: url, ...BEHIND_PROXY });
});
after(async () => {
  for (const close of closing) await close();
  await server?.dispose();
});

const one = () => nodes[0] as FleetNode;
const other = () => nodes[1] as FleetNode;
const statusOf = async (node: FleetNode, key: string) => {
  const caller = openCaller(node.base);
  const { status } = await caller.call(key);
  caller.close();
  return status;
};

let count = 0;
/** Creates a user who signed up on one node, confirmed on the other and signed in there. */
async function openMember(): Promise<{ email: string; ask: Visitor }> {
  count += 1;
  const email = `member${count}@example.com`;
  const ask = openVisitor(`10.1.${count}.1`);
  const credentials = { name: "", email, password: PASSWORD };
  assert.equal(
    (await ask(one(), "POST", "/dashboard/auth/sign-up/email", credentials)).status,
    200,
  );
  const token = await tokenFor(nodes, email);
  const confirmed = await ask(other(), "POST", "/dashboard/auth/verify-email", { token });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  const signedIn = await ask(one(), "POST", "/dashboard/auth/sign-in/email", credentials);
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
  return { email, ask };
}

type Made = { key: { id: string }; secret: string };
async function makeKey(ask: Visitor, node: FleetNode): Promise<Made> {
  const { status, body } = await ask(node, "POST", "/dashboard/keys", { label: "test" });
  assert.equal(status, 201, JSON.stringify(body));
  return body as Made;
}

test("a user can sign up, confirm and sign in on any node, and a key from one node works on all", async () => {
  const { ask } = await openMember();
  const { secret } = await makeKey(ask, other());
  assert.deepEqual([await statusOf(one(), secret), await statusOf(other(), secret)], [200, 200]);
  const { body } = await ask(other(), "GET", "/dashboard/home");
  // The first call was free, the second was charged.
  assert.equal((body as { balance: number }).balance, 99);
  await eventually("the request log has the calls of both nodes", async () => {
    const { body: log } = await ask(one(), "GET", "/dashboard/requests?status=ok");
    return (log as RequestsView).requests.length === 2;
  });
});

test("a key that a user revokes on one node is rejected by the other at the next call", async () => {
  const { ask } = await openMember();
  for (const [here, there] of [
    [one(), other()],
    [other(), one()],
  ] as const) {
    const { key, secret } = await makeKey(ask, here);
    assert.equal(await statusOf(there, secret), 200);
    assert.equal((await ask(here, "DELETE", `/dashboard/keys/${key.id}`)).status, 200);
    assert.equal(await statusOf(there, secret), 401);
  }
});

test("closing an account on one node ends its keys and sessions on the other", async () => {
  const { email, ask } = await openMember();
  const { secret } = await makeKey(ask, one());
  assert.equal(await statusOf(other(), secret), 200);
  const order = { email, password: PASSWORD };
  const closed = await ask(one(), "POST", "/dashboard/account/close", order);
  assert.equal(closed.status, 200, JSON.stringify(closed.body));
  assert.equal(await statusOf(other(), secret), 401);
  assert.equal((await ask(other(), "GET", "/dashboard/home")).status, 401);
});

test("an address that signs up on both nodes at once becomes one user", async () => {
  const email = "twice@example.com";
  const credentials = { name: "", email, password: PASSWORD };
  const [here, there] = ["10.2.0.1", "10.2.0.2"].map(openVisitor) as [Visitor, Visitor];
  const responses = await Promise.all([
    here(one(), "POST", "/dashboard/auth/sign-up/email", credentials),
    there(other(), "POST", "/dashboard/auth/sign-up/email", credentials),
  ]);
  // Both get the same response, whichever came first.
  for (const { status } of responses) assert.equal(status, 200);
  const token = await tokenFor(nodes, email);
  const signIn = ["POST", "/dashboard/auth/sign-in/email", credentials] as const;
  // With the right password, both browsers count as those that signed up.
  for (const visitor of [here, there]) assert.equal((await visitor(one(), ...signIn)).status, 403);
  const verify = ["POST", "/dashboard/auth/verify-email", { token }] as const;
  await Promise.all([here(one(), ...verify), there(other(), ...verify)]);
  assert.equal((await here(one(), ...signIn)).status, 200);
  const { body } = await here(other(), "GET", "/dashboard/credits");
  const { grants } = body as { grants: { kind: string; amount: number }[] };
  assert.deepEqual(
    grants.map(({ kind, amount }) => [kind, amount]),
    [["starter", 100]],
  );
});

test("a network has ten password tries in total over all nodes", async () => {
  // Concurrent, because one try becomes available again every six seconds.
  const ask = openVisitor("10.3.0.1");
  const responses = await Promise.all(
    Array.from({ length: 14 }, (_, turn) => {
      const wrong = { email: `nobody${turn}@example.com`, password: "not the right one" };
      return ask(turn % 2 === 0 ? one() : other(), "POST", "/dashboard/auth/sign-in/email", wrong);
    }),
  );
  const statuses = responses.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(4).fill(429)]);
});

test("the request limits of a network apply to all nodes together", async () => {
  const ask = openVisitor("10.4.0.1");
  const statuses: number[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const node = turn < 4 ? one() : other();
    const wanted = { email: "nobody@example.com" };
    statuses.push(
      (await ask(node, "POST", "/dashboard/auth/request-password-reset", wanted)).status,
    );
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
});
