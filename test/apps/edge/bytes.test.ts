import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { makeKey } from "#accounts/key-format.ts";
import { newAccountId } from "#ids.ts";
import { TOOLS } from "#tools/registry.ts";
import { type Asked, CALLERS, otherRequests, toolRequests } from "../../http/edge-requests.ts";
import { nodeSocket } from "../../http/node-socket.ts";
import {
  type ApiResponse,
  createCaller,
  type Opener,
  openService,
  type TestService,
} from "../../http/test-api.ts";
import { workerd } from "../../http/workerd.ts";
import { createChance } from "../../ledger/rules/chance.ts";
import { SEED } from "../../support/random.ts";

/** The Worker and the Node service return the same bytes, given the same time and random bytes. */
/** Of the thousands of requests that are made from each tool's examples and fields. */
const REQUESTS_PER_TOOL = Number(process.env["TEST_EDGE_REQUESTS"] ?? 15);

/** Headers about the connection, timing and compression, which the platform handles at the edge. */
const OF_THE_SERVER = new Set([
  "date",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "server-timing",
  "vary",
]);
/** For a suspended account a node sends rate limit headers if it knows the key, and an object always. */
const OF_THE_RATE = new Set(["ratelimit", "ratelimit-policy"]);

type Side = { service: TestService; keys: Map<Asked["caller"], string | null> };
let sides: Side[];

before(async () => {
  sides = await Promise.all([nodeSocket, workerd].map(openSide));
});
after(() => Promise.all((sides ?? []).map(({ service }) => service.close())));

async function openSide(opener: Opener): Promise<Side> {
  const service = await openService(opener, { rateLimit: 100_000, fixed: true });
  return { service, keys: new Map() };
}

/** New accounts: the random bytes are fixed, so the ids of an account's calls repeat after some hundreds. */
async function openAccounts({ service, keys }: Side): Promise<void> {
  for (const name of CALLERS) keys.set(name, await keyOf(service, name));
}

async function keyOf(service: TestService, name: Asked["caller"]): Promise<string | null> {
  if (name === "none") return null;
  if (name === "made_up") return makeKey(newAccountId(randomBytes), ["another"], randomBytes);
  const credits = name === "broke" ? 0 : 1_000_000;
  const caller = await createCaller(service, {
    credits,
    freeCall: name === "first" ? "open" : "withheld",
  });
  const order = { account: caller.account, now: await service.now() };
  if (name === "suspended") await service.ledger.changeAccount({ ...order, state: "suspended" });
  if (name === "closed") await service.ledger.changeAccount({ ...order, state: "closed" });
  if (name === "revoked") await service.ledger.revokeKey({ ...order, id: caller.keyId });
  return name === "misspelt" ? `${caller.key.slice(0, -1)}_` : caller.key;
}

async function ask({ service, keys }: Side, asked: Asked, at: number): Promise<ApiResponse> {
  const key = keys.get(asked.caller);
  return service.send(asked.path, {
    method: asked.method,
    body: asked.body,
    headers: {
      "X-Request-Id": `request-${at}`,
      "Accept-Encoding": "identity",
      ...(typeof key === "string" ? { Authorization: `Bearer ${key}` } : {}),
      ...asked.headers,
    },
  });
}

const headersOf = ({ status, headers }: ApiResponse) =>
  Object.fromEntries(
    [...headers].filter(
      ([name]) => !OF_THE_SERVER.has(name) && !(status === 403 && OF_THE_RATE.has(name)),
    ),
  );

/** Sends requests one by one, so that balances and rate limits change alike. Returns the number of rejected requests. */
async function compare(requests: Asked[]): Promise<number> {
  let refused = 0;
  await Promise.all(sides.map(openAccounts));
  for (const [at, asked] of requests.entries()) {
    const [node, edge] = await Promise.all(sides.map((side) => ask(side, asked, at)));
    assert.ok(node && edge);
    const body = Buffer.from(asked.body ?? "");
    const shown = `${asked.method} ${asked.path} of ${asked.caller} ${JSON.stringify(asked.headers)} ${body.subarray(0, 300)} (TEST_SEED=${SEED})`;
    assert.equal(edge.status, node.status, `${shown}\n${edge.text.slice(0, 500)}`);
    assert.deepEqual(headersOf(edge), headersOf(node), shown);
    assert.ok(
      Buffer.from(edge.bytes).equals(node.bytes),
      `${shown}\n${edge.text.slice(0, 500)}\n${node.text.slice(0, 500)}`,
    );
    if (node.status >= 400) refused += 1;
  }
  return refused;
}

for (const tool of TOOLS) {
  const { name, examples } = tool;
  test(`${name} responds at the edge with the bytes and headers of the Node service`, async (t) => {
    const all = toolRequests(tool);
    const chance = createChance(SEED);
    // The examples come first.
    const rest = all.slice(examples.length);
    const chosen = Array.from({ length: Math.min(REQUESTS_PER_TOOL, rest.length) }, () =>
      chance.pick(rest),
    );
    const requests = [...all.slice(0, examples.length), ...chosen];
    const refused = await compare(requests);
    t.diagnostic(
      `${requests.length} of ${all.length} requests (TEST_SEED=${SEED}), ${refused} of them rejected`,
    );
    assert.ok(refused < requests.length);
  });
}

test("the edge and the Node service respond alike to callers, addresses, headers and replays", async (t) => {
  const requests = otherRequests();
  const refused = await compare(requests);
  t.diagnostic(`${requests.length} requests, ${refused} of them rejected`);
  assert.ok(refused > 0 && refused < requests.length);
});
