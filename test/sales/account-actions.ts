/** What happens to accounts: calls, grants, keys, and what owners and operators do. */
import type { DebitOrder } from "#ledger/port.ts";
import { DAY_MS } from "#limits.ts";
import { idempotency, keyId, keySha256 } from "../contract/ledger/fixture.ts";
import { balanceOf } from "../ledger/rules/model-account.ts";
import type { Life } from "./chance.ts";
import type { User } from "./world.ts";

export async function call(life: Life): Promise<void> {
  const { world, random, below, pick, calls } = life;
  const { clock, ledger, model } = world;
  const { account, name } = pick(life.keys);
  const owner = model.find(account);
  const balance = owner === undefined ? 0 : balanceOf(owner, clock.at);
  const most = random() < 0.1 ? balance + 2 : Math.min(balance + 2, 14);
  const orders: DebitOrder[] = [];
  for (let no = below(most + 1); no > 0; no -= 1) {
    const callId = world.newId("call");
    const kept = random() < 0.2 ? keptOf(life, callId) : null;
    const tool = pick(["hash", "uuid"]);
    const keySha = keySha256(account, name);
    const order: DebitOrder = {
      ...{ account, keySha256: keySha, callId, tool, credits: 1, freeCallCredits: 1 },
      ...{ now: clock.at, idempotency: kept },
    };
    orders.push(order);
    // The response was lost.
    if (random() < 0.05) orders.push(order);
  }
  calls.push(...orders);
  if (random() < 0.7) await ledger.debitTogether(orders);
  else for (const order of orders) await ledger.debit(order);
}

function keptOf({ world, pick, below }: Life, callId: string) {
  const body = pick(["body", "body", "other"]);
  return { ...idempotency(`key${below(3)}`, body, callId), receivedAt: world.clock.at };
}

export async function reverse({ world, calls, pick, below }: Life): Promise<void> {
  const { ledger, clock } = world;
  if (calls.length === 0) return;
  for (let no = below(4); no >= 0; no -= 1) {
    const { account, callId, now: at } = pick(calls.slice(-20));
    await ledger.reverse({ account, callId, at, now: clock.at });
  }
}

/** Some at the same moment; some with the lifetime plan. */
export async function grant({ world, random, pick, below }: Life): Promise<void> {
  const { id: account } = pick(world.users);
  const now = world.clock.at;
  for (let no = below(3); no >= 0; no -= 1) {
    const days = pick([0, 1, 7, 8, 30, 31, 60]);
    const end = random() < 0.3 ? null : now + days * DAY_MS + below(2);
    const kind = random() < 0.15 ? "lifetime" : "operator";
    const expiresAt = kind === "lifetime" ? null : end;
    const id = `operator:${world.newId("grant")}`;
    const order = { account, id, kind, amount: 1 + below(40), expiresAt, now } as const;
    await world.ledger.grant(order);
    if (random() < 0.2) await world.ledger.grant(order);
  }
}

/** Claws back a grant of the operator, in part or whole, more or less than before; some repeated, some late. */
export async function clawBack({ world, random, pick, below }: Life): Promise<void> {
  const { id: account } = pick(world.users);
  const grants = world.model.find(account)?.grants ?? [];
  const given = grants.filter(({ id }) => id.startsWith("operator:"));
  const carriers = given.filter(({ kind }) => kind === "lifetime");
  const grant = pick(carriers.length > 0 && random() < 0.6 ? carriers.slice(-4) : given.slice(-4));
  if (grant === undefined) return;
  const now = world.clock.at;
  const { id, amount, clawbackVersion } = grant;
  const credits = random() < 0.5 ? amount : below(amount + 1);
  const version = random() < 0.8 ? Math.max(now, clawbackVersion) : below(clawbackVersion + 1);
  const order = { account, grant: id, credits, version, now };
  await world.ledger.clawback(order);
  if (random() < 0.2) await world.ledger.clawback(order);
}

export async function starter({ world, pick }: Life): Promise<void> {
  const { id: account } = pick(world.users);
  const now = world.clock.at;
  const expiresAt = now + 90 * DAY_MS;
  const id = `starter:${account}`;
  await world.ledger.grant({ account, id, kind: "starter", amount: 100, expiresAt, now });
}

export async function setThreshold({ world, pick }: Life): Promise<void> {
  const lowBalance = pick([0, 1, 2, 10, 20, 50, 100]);
  const order = { account: pick(world.users).id, lowBalance, now: world.clock.at };
  await world.ledger.changeAccount(order);
}

export async function makeKey({ world, keys }: Life, { id: account }: User): Promise<void> {
  const name = `k${keys.length}x`;
  keys.push({ account, name });
  const order = { account, id: keyId(account, name), sha256: keySha256(account, name) };
  const key = { ...order, start: "tb_", label: name, now: world.clock.at };
  await world.ledger.createKey(key);
  await world.ledger.createKey(key);
}

export async function revokeKey({ world, keys, pick, random }: Life): Promise<void> {
  const { account, name } = pick(keys);
  const order = { account, id: keyId(account, name), now: world.clock.at };
  await world.ledger.revokeKey(order);
  if (random() < 0.5) await world.ledger.revokeKey(order);
}

export async function choose({ world, pick, random }: Life): Promise<void> {
  const user = pick(world.users);
  user.emails = { low: random() < 0.7, expiring: random() < 0.7 };
  const choice = { emails: user.emails };
  await world.store.events.choose({ account: user.id, choice });
}

export async function suspend({ world, pick, random }: Life): Promise<void> {
  const order = { account: pick(world.users).id, now: world.clock.at };
  if (random() < 0.5) await world.ledger.changeAccount({ ...order, state: "suspended" });
  for (const { id: account } of random() < 0.9 ? world.users : []) {
    await world.ledger.changeAccount({ ...order, account, state: "open" });
  }
}

export async function close({ world, pick }: Life): Promise<void> {
  await world.ledger.changeAccount({
    account: pick(world.users).id,
    now: world.clock.at,
    state: "closed",
  });
}
