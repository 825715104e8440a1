/** Where both Workers would create objects, at every way in. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { crc32 } from "node:zlib";
import { isWellFormedKey, makeKey } from "#accounts/key-format.ts";
import { accountPart, BASE62, newAccountId, newKeyId } from "#ids.ts";
import { placementOf } from "#placement.ts";
import { connectMcp } from "../../http/mcp-client.ts";
import { type EdgeSite, openEdgeSite } from "../../support/edge-site.ts";
import { edgeMember, operatorOf } from "./edge-member.ts";
import type { Place } from "./worker-that-places.ts";

const TOKEN = "the-operator-of-a-service-in-a-test";

function openSite(texts: Record<string, string> = {}): Promise<EdgeSite> {
  const around = "apps/edge/worker-that-places.ts";
  return openEdgeSite({ after }, { texts: { TOOLBOOTH_OPERATOR_TOKEN: TOKEN, ...texts }, around });
}

/** The header by which the simulator takes what Cloudflare knows of a request. */
const from = (continent: string, country: string) => ({
  "MF-CF-Blob": JSON.stringify({ continent, country }),
});

const call = ({ base }: EdgeSite, key: string) =>
  fetch(`${base}/api/v1/uuid`, { method: "POST", headers: { Authorization: `Bearer ${key}` } });

/** Returns what runs a step and returns where it would have created objects. */
function placesOf(site: EdgeSite) {
  const take = async () => (await (await fetch(`${site.base}/test/places`)).json()) as Place[];
  return {
    async during(step: () => Promise<unknown>): Promise<Place[]> {
      await take();
      await step();
      return take();
    },
    /** Asserts that the step asks for the object of an account, and always in the same place. */
    async all(what: string, account: string, step: () => Promise<unknown>): Promise<void> {
      const own = (await this.during(step)).filter(({ name }) => name === accountPart(account));
      assert.ok(own.length > 0, `${what}: no request`);
      const { location, jurisdiction } = placementOf(account) ?? assert.fail();
      for (const { hint, ...place } of own) {
        assert.deepEqual([hint, place.jurisdiction], [location, jurisdiction], what);
      }
    },
  };
}

const secretOf = (created: { secret: string }) => created.secret;

const openSent = (account: string) => ({
  ...{ account, email: `${account}@example.com`.toLowerCase(), now: Date.now() },
  credits: { grant: "operator:of-a-test", amount: 5 },
});

const site = await openSite();
const places = placesOf(site);
const operate = operatorOf(site, TOKEN);

test("whatever asks for an account's object first creates it where its owner signed up", async () => {
  let member: Awaited<ReturnType<typeof edgeMember>> | undefined;
  const signedUp = await places.during(async () => {
    member = await edgeMember(site, "ada", from("AS", "JP"));
  });
  const { account, get, post } = member ?? assert.fail();
  assert.equal(placementOf(account)?.location, "apac");
  const own = signedUp.filter(({ name }) => name === accountPart(account));
  assert.ok(own.length > 0);
  for (const { hint } of own) assert.equal(hint, "apac");
  // Every other object of the sign-up counts requests, and no setting places it.
  for (const { name, hint, jurisdiction } of signedUp.filter((place) => !own.includes(place)))
    assert.deepEqual([hint, jurisdiction], [null, null], name);

  let key = "";
  await places.all("create a key", account, async () => {
    const created = await post("/dashboard/keys", { label: "laptop" });
    key = secretOf(created.body);
    assert.ok(key.startsWith("tb_"), created.text);
  });
  await places.all("the dashboard", account, () => get("/dashboard/home"));
  await places.all("a call", account, async () => {
    assert.equal((await call(site, key)).status, 200);
  });
  await places.all("MCP", account, async () => {
    const client = await connectMcp({ url: `${site.base}/mcp`, key, revision: "2026-07-28" });
    await client.callTool({ name: "uuid", arguments: {} });
    await client.close();
  });
  const now = Date.now();
  await places.all("an operator's read", account, () => operate("findAccount", { account, now }));
  await places.all("an export", account, () =>
    operate("exportAccount", { account, place: null, snapshot: null, hold: false }),
  );
  const job = JSON.stringify({ account, callId: "call_of_a_test", at: now });
  await site.sql(
    `INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
     VALUES ('one', 'reversal', 'reverse-call', '${account}', '${account}', '${job}', ${now}, 0)`,
  );
  await places.all("cron", account, () => site.cron());

  const probed = await places.during(async () => {
    assert.equal((await fetch(`${site.base}/readyz`)).status, 200);
  });
  // The log of the call above is written to the account's object some seconds later.
  const isNoLog = ({ name }: Place) => name !== accountPart(account);
  assert.deepEqual(probed.filter(isNoLog), [{ name: "readiness", jurisdiction: null, hint: null }]);

  // The tag of a key covers the place, so an invented place costs nothing.
  const moved = `${accountPart(account).slice(0, -1)}E`;
  const elsewhere = withChecksum(key.replace(accountPart(account), moved));
  const invented = makeKey(`acc_${moved}`, ["another secret"], randomBytes);
  const refused = await places.during(async () => {
    for (const each of [elsewhere, invented]) {
      assert.ok(isWellFormedKey(each), each);
      assert.equal((await call(site, each)).status, 401);
    }
  });
  assert.deepEqual(refused.filter(isNoLog), []);
});

/** Returns the key with the checksum that its other characters need, which anyone can compute. */
function withChecksum(key: string): string {
  let rest = crc32(key.slice(0, -6));
  let checksum = "";
  for (; checksum.length < 6; rest = Math.floor(rest / 62)) checksum = BASE62[rest % 62] + checksum;
  return key.slice(0, -6) + checksum;
}

test("an operator's account lives where the operator says, and an import's where its id or the import says", async () => {
  const create = async (location: string | null, jurisdiction: string | null) => {
    const order = { location, jurisdiction };
    return (await operate<{ placement: object }>("choosePlacement", order)).placement;
  };
  assert.deepEqual(await create("oc", null), { location: "oc", jurisdiction: null });
  assert.deepEqual(await create(null, "eu"), { location: null, jurisdiction: "eu" });
  for (const code of ["g", "E", "0"]) {
    const account = newAccountId(randomBytes, code);
    await places.all("create", account, () => operate("openAccount", openSent(account)));
    await places.all("key create", account, async () => {
      const id = newKeyId(account, randomBytes);
      const order = { account, id, label: "laptop", now: Date.now() };
      const { key } = await operate<{ key: string }>("createKey", order);
      assert.equal((await call(site, key)).status, 200);
    });
  }

  const now = Date.now();
  const importOf = (account: string, location?: string) => {
    const opened = { record: "account", id: account, createdAt: now, state: "open" };
    const records = [{ ...opened, freeCall: "open" }];
    const order = { account, createdAt: now, now, records, begin: true, finish: true };
    return operate("importAccount", { ...order, ...(location !== undefined && { location }) });
  };
  const placed = newAccountId(randomBytes, "h");
  await places.all("import", placed, () => importOf(placed, "me"));
  const unplaced = newAccountId(randomBytes);
  const [first] = await places.during(() => importOf(unplaced, "me"));
  assert.deepEqual(first, { name: accountPart(unplaced), jurisdiction: null, hint: "me" });
});

test("in a service of a jurisdiction, everything is created in it", async () => {
  const other = await openSite({ TOOLBOOTH_JURISDICTION: "eu" });
  const places = placesOf(other);
  const operate = operatorOf(other, TOKEN);
  const made = await places.during(async () => {
    const { account, post } = await edgeMember(other, "eve", from("NA", "US"));
    assert.equal(placementOf(account)?.jurisdiction, "eu");
    const { body } = await post("/dashboard/keys", { label: "laptop" });
    assert.equal((await call(other, secretOf(body))).status, 200);
    assert.equal((await fetch(`${other.base}/readyz`)).status, 200);
    const { placement } = await operate<{ placement: object }>("choosePlacement", {
      ...{ location: null, jurisdiction: null },
    });
    assert.deepEqual(placement, { location: null, jurisdiction: "eu" });
  });
  assert.ok(made.some(({ name }) => name === "readiness"));
  assert.ok(made.some(({ name }) => name.startsWith("sign-in-")));
  for (const { name, hint, jurisdiction } of made)
    assert.deepEqual([hint, jurisdiction], [null, "eu"], name);

  const outside = newAccountId(randomBytes, "d");
  const refused = await places.during(async () => {
    await assert.rejects(operate("openAccount", openSent(outside)), /does not name the jurisdict/);
    const order = {
      account: outside,
      createdAt: 1,
      now: Date.now(),
      records: [],
      begin: true,
      finish: false,
    };
    await assert.rejects(operate("importAccount", order), /does not name the jurisdiction eu/);
    const chosen = { location: "weur", jurisdiction: null };
    await assert.rejects(operate("choosePlacement", chosen), /TOOLBOOTH_JURISDICTION/);
  });
  assert.deepEqual(refused, []);
});
