import assert from "node:assert/strict";
import { after, before } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  BEHIND_PROXY,
  type FleetNode,
  openVisitor,
  startNodes,
  tokenFor,
  type Visitor,
} from "../../support/fleet.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { type Network, openNetwork } from "../../support/postgres-proxy.ts";
import { sampleTests } from "../../support/sample.ts";

/** Users of a node whose PostgreSQL fails: each request succeeds or gets 503 with Retry-After. */
const PASSWORD = "correct horse battery staple";
const NEW = "another horse battery staple";
let server: Postgres;
let network: Network;
let nodes: FleetNode[] = [];
const closing: (() => unknown)[] = [];
const hooks = { after: (close: () => unknown) => void closing.push(close) };

before(async () => {
  server = await startPostgres();
  const url = new URL(await server.createDatabase());
  network = await openNetwork(server.port);
  url.port = String(network.port);
  nodes = await startNodes(hooks, 1, { DATABASE_URL: url.href, ...BEHIND_PROXY });
});
after(async () => {
  for (const close of closing) await close();
  await network?.close();
  await server?.dispose();
});

let users = 0;
const node = () => nodes[0] as FleetNode;
/** Each request comes from another network, so that none is throttled. */
function newVisitor(): Visitor {
  users += 1;
  return openVisitor(`10.${9 + (users >> 8)}.${users & 255}.1`);
}

async function openMember() {
  const ask = newVisitor();
  const credentials = { name: "", email: `member${users}@example.com`, password: PASSWORD };
  const signedUp = await ask(node(), "POST", "/dashboard/auth/sign-up/email", credentials);
  assert.equal(signedUp.status, 200, JSON.stringify(signedUp.body));
  const token = await tokenFor(nodes, credentials.email);
  await ask(node(), "POST", "/dashboard/auth/verify-email", { token });
  const signedIn = await ask(node(), "POST", "/dashboard/auth/sign-in/email", credentials);
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
  const { body } = await ask(node(), "POST", "/dashboard/keys", { label: "test" });
  return { ask, credentials, key: (body as { key: { id: string } }).key.id };
}

type Member = Awaited<ReturnType<typeof openMember>>;

/** All actions of users, at once. */
function actAll({ ask, credentials, key }: Member): ReturnType<Visitor>[] {
  const [outsider, other] = [newVisitor(), newVisitor()];
  const newcomer = { ...credentials, email: `newcomer${users}@example.com` };
  const passwords = { currentPassword: PASSWORD, newPassword: NEW };
  return [
    outsider(node(), "POST", "/dashboard/auth/sign-up/email", newcomer),
    other(node(), "POST", "/dashboard/auth/sign-in/email", credentials),
    ask(node(), "POST", "/dashboard/auth/sign-out", {}),
    ask(node(), "POST", "/dashboard/auth/change-password", passwords),
    ask(node(), "POST", "/dashboard/keys", { label: "other" }),
    ask(node(), "PATCH", `/dashboard/keys/${key}`, { label: "renamed" }),
    ask(node(), "DELETE", `/dashboard/keys/${key}`),
    ask(node(), "DELETE", "/dashboard/sessions/others"),
    ask(node(), "POST", "/dashboard/account/close", credentials),
    ask(node(), "GET", "/dashboard/home"),
  ];
}

async function assertRefused(acts: ReturnType<Visitor>[]): Promise<void> {
  for (const { status, body, retryAfter } of await Promise.all(acts)) {
    assert.equal(status, 503, JSON.stringify(body));
    assert.equal((body as { code: string }).code, "unavailable");
    assert.ok(Number(retryAfter) > 0);
  }
}

/** Checks that all users are still signed in, nothing was changed, and everything works again. */
async function assertAsBefore({ ask, credentials, key }: Member): Promise<void> {
  while ((await ask(node(), "GET", "/dashboard/home")).status === 503) await wait(20);
  const { status, body } = await ask(node(), "GET", "/dashboard/keys");
  assert.equal(status, 200, JSON.stringify(body));
  const { keys } = body as { keys: { id: string; label: string; revokedAt: number | null }[] };
  const listed = keys.map(({ id, label, revokedAt }) => [id, label, revokedAt]);
  assert.deepEqual(listed, [[key, "test", null]]);
  const again = await newVisitor()(node(), "POST", "/dashboard/auth/sign-in/email", credentials);
  assert.equal(again.status, 200, JSON.stringify(again.body));
}

const { test, draw } = sampleTests("faults of a database", 1, process.env["TEST_FLEET"] === "all");

test("if no server listens, every request gets 503, and afterwards everything is as before", {
  timeout: 300_000,
}, async () => {
  const member = await openMember();
  await server.stop("immediate");
  try {
    await assertRefused(actAll(member));
  } finally {
    await server.start();
  }
  await assertAsBefore(member);
});

test("the same if the network drops everything", { timeout: 300_000 }, async () => {
  const member = await openMember();
  network.swallow(true);
  await assertRefused(actAll(member));
  network.swallow(false);
  network.cut();
  await assertAsBefore(member);
});

test("the same if the response to every commit is lost", { timeout: 300_000 }, async () => {
  const member = await openMember();
  network.loseCommits(1_000_000);
  await assertRefused(actAll(member));
  network.loseCommits(0);
  await assertAsBefore(member);
});

draw();
