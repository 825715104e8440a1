import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { createKey, openAccount } from "#accounts/accounts.ts";
import { databaseFile } from "#apps/node/data-folder.ts";
import { openReversalFile, reversalFile } from "#apps/node/reversals.ts";
import { PURCHASES_PER_HOUR_MAX } from "#billing/begin-purchase.ts";
import { reversalJob } from "#jobs/reverse-calls.ts";
import type { Ledger } from "#ledger/port.ts";
import { createFixture } from "../../contract/ledger/fixture.ts";
import { startServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { createChance } from "../../ledger/rules/chance.ts";
import { SEED } from "../../support/random.ts";
import { sqliteRows } from "../../support/sqlite-rows.ts";
import {
  assertSpent,
  type Customer,
  newCustomer,
  settle,
  startCalls,
  useFreeCall,
} from "../fleet/customers.ts";
import { openPayments } from "./payments-fixture.ts";
import { runHere } from "./run-command.ts";

/**
 * Kills a server under load again and again, always on the same data. Those who use it repeat after each restart what got no response: calls
 * with idempotency keys (others are not repeated), orders of the operator, and events of Stripe.
 */
const ROUNDS = Number(process.env["TEST_KILL_ROUNDS"] ?? 1);
const TOKEN = "t".repeat(40);
const CREDITS = 10_000_000;

type Client = {
  /** Uses the server until its connection breaks. */
  use(base: string, round: number): Promise<unknown>;
  /** Repeats what got no response. */
  settle(base: string): Promise<void>;
  /** Checks the data after the last stop. */
  finish(ledger: Ledger): Promise<void>;
};
type Payments = Awaited<ReturnType<typeof openPayments>>;

const openCustomer = ({ within }: Payments, email: string): Promise<Customer> =>
  within(async ({ accountDeps }) => {
    const now = Date.now();
    const { account } = await openAccount(accountDeps, email, now);
    const grant = {
      account,
      id: "all",
      kind: "operator",
      amount: CREDITS,
      expiresAt: null,
    } as const;
    await accountDeps.ledger.grant({ ...grant, now });
    return newCustomer(account, (await createKey(accountDeps, account, "test", now)).key);
  });

async function checkSpent(ledger: Ledger, customer: Customer): Promise<void> {
  const { balance } = await ledger.credits({ account: customer.account, now: Date.now() });
  assertSpent(customer, CREDITS - balance);
}

const inLoops = (count: number, run: (loop: number) => Promise<void>) =>
  Promise.all(Array.from({ length: count }, (_, loop) => run(loop)));

/** Each order is carried out once, with its record, or not at all. */
function grantCredits({ account }: Customer, email: string): Client {
  const confirmed = new Map<string, boolean>();
  const run = (line: string, base: string) =>
    runHere(`${line} --json`, { "--remote": base, TOOLBOOTH_OPERATOR_TOKEN: TOKEN });
  const grant = (base: string, id: string) =>
    run(`credits grant ${email} 1 --id ${id}`, base).then(
      () => confirmed.set(id, true),
      () => confirmed.set(id, false),
    );
  return {
    use: (base, round) =>
      inLoops(2, async (loop) => {
        for (let at = 0; ; at += 1) {
          const id = `turn-${round}-${loop}-${at}`;
          await grant(base, id);
          if (!confirmed.get(id)) return;
        }
      }),
    async settle(base) {
      for (const [id, isConfirmed] of confirmed) if (!isConfirmed) await grant(base, id);
      assert.ok([...confirmed.values()].every(Boolean));
      const { actions } = (await run("actions --max 1000", base)).json;
      const recorded = actions.flatMap(
        ({ detail }: { detail: string | null }) =>
          /^(?:1 credit as )?operator:(turn-[\d-]+)(?: was granted before)?$/.exec(
            detail ?? "",
          )?.[1] ?? [],
      );
      const ids = [...confirmed.keys()].slice(-200);
      assert.deepEqual(
        ids.filter((id) => !recorded.includes(id)),
        [],
        "every grant has a record",
      );
    },
    async finish(ledger) {
      const { balance } = await ledger.credits({ account, now: Date.now() });
      assert.equal(balance, CREDITS + confirmed.size);
    },
  };
}

/** Paid credits are granted exactly once, although Stripe sends the event again. */
function pay({ fake, buy, account }: Payments): Client {
  const messages: Parameters<typeof fake.send>[1][] = [];
  const accounts: string[] = [];
  /** An account may begin only so many purchases in an hour. */
  async function accountOf(round: number): Promise<string> {
    const no = Math.floor(round / PURCHASES_PER_HOUR_MAX);
    accounts[no] ??= await account(`bob${no}@example.org`);
    return accounts[no];
  }
  const send = (base: string) => fake.send(`${base}/webhooks/stripe`, messages.at(-1) as never);
  return {
    async use(base, round) {
      fake.pay((await buy(await accountOf(round))).session);
      const paid = fake.take().find(({ type }) => type === "checkout.session.completed");
      assert.ok(paid);
      messages.push(paid);
      // In the first round Stripe does not respond, so the server is killed before its own response.
      if (round === 0) fake.setAway("silence");
      const status = await send(base);
      fake.setAway(null);
      assert.ok(status === null || (round > 0 && status === 200), `${status}`);
    },
    async settle(base) {
      if (messages.length > 0) assert.deepEqual([await send(base), await send(base)], [200, 200]);
    },
    async finish(ledger) {
      const now = Date.now();
      const balances = await Promise.all(
        accounts.map(async (account) => (await ledger.credits({ account, now })).balance),
      );
      const sum = balances.reduce((total, balance) => total + balance, 0);
      assert.equal(sum, 100 * messages.length);
    },
  };
}

/** A call that the server must reverse, as a kill leaves it in the file. */
async function leaveReversal({ within, dataDir }: Payments) {
  const now = Date.now();
  const account = await within(async ({ ledger }) => {
    const fixture = createFixture({ ledger });
    const account = await fixture.account("Eve", { credits: 5 });
    const order = fixture.debitOrder(account, { now });
    await ledger.debit(order);
    const file = openReversalFile(reversalFile(dataDir));
    const job = reversalJob({ account, callId: order.callId, at: now });
    await file.jobs.add({ jobs: [job], now });
    file.close();
    return account;
  });
  const isDone = async () =>
    sqliteRows(reversalFile(dataDir), "SELECT 1 FROM job LIMIT 1").length === 0;
  return { account, isDone };
}

async function inspect(
  { within, dataDir, json }: Payments,
  act: (ledger: Ledger) => Promise<void>,
) {
  const database = new DatabaseSync(databaseFile(dataDir));
  assert.equal(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
  database.close();
  const { ok, faults } = await json(`audit --file ${databaseFile(dataDir)}`);
  assert.deepEqual([ok, faults], [true, []]);
  await within(({ ledger }) => act(ledger));
}

async function openClients(t: TestContext) {
  const payments = await openPayments(t);
  const granted = await openCustomer(payments, "ada@example.org");
  const clients = [grantCredits(granted, "ada@example.org"), pay(payments)];
  const customers = [
    await openCustomer(payments, "eve@example.com"),
    await openCustomer(payments, "bob@example.com"),
  ];
  const env = { ...payments.env, RATE_LIMIT: "0", TOOLBOOTH_OPERATOR_TOKEN: TOKEN };
  return { payments, clients, customers, start: () => startServer(t, env) };
}

test(`killed under load, a node has every response that it sent in its ledger, and everything once (kills: ${ROUNDS}, TEST_SEED=${SEED})`, async (t) => {
  const { payments, clients, customers, start } = await openClients(t);
  const chance = createChance(SEED);
  async function settleAll(base: string): Promise<void> {
    for (const client of clients) await client.settle(base);
    for (const customer of customers) await settle(base, customer);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await start();
    const { base } = server;
    if (round === 0) for (const { key } of customers) await useFreeCall(base, key);
    await settleAll(base);
    const calls = startCalls(t, customers, `${round}`, () => base);
    const used = clients.map((client) => client.use(base, round));
    await calls.reach(20 + chance.below(200));
    assert.equal((await server.end("SIGKILL")).signal, "SIGKILL");
    await Promise.all([calls.stop(), ...used]);
    await inspect(payments, async (ledger) => {
      for (const customer of customers) await checkSpent(ledger, customer);
    });
  }

  const reversal = await leaveReversal(payments);
  const server = await start();
  await settleAll(server.base);
  await eventually("the call is reversed", reversal.isDone);
  assert.equal((await server.end("SIGTERM")).code, 0);
  await inspect(payments, async (ledger) => {
    for (const client of clients) await client.finish(ledger);
    for (const customer of customers) await checkSpent(ledger, customer);
    const bodies = customers.flatMap(({ keyed }) => keyed.map(({ body }) => body));
    assert.equal(new Set(bodies).size, bodies.length, "each call with a key has its own response");
    const { account } = reversal;
    assert.equal((await ledger.credits({ account, now: Date.now() })).balance, 5);
  });
});
