/**
 * Several callers settle one purchase, with their steps in any order, while its payment changes, calls are made and reversed, and
 * some callers crash between two steps. A caller that begins after the last change and finishes leaves the ledger right, and
 * callers that read earlier and continue later keep it right. `TEST_SALES_RUNS` sets the number of runs; an error names its
 * seed.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createBilling } from "#billing/billing.ts";
import type { BillingDeps } from "#billing/billing-deps.ts";
import type { Offer } from "#billing/price-list.ts";
import { type Ledger, NotCarriedOut } from "#ledger/port.ts";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { ADA } from "../billing/billing-fixture.ts";
import { createFixture } from "../contract/ledger/fixture.ts";
import { wrapMethods } from "../support/breaking.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";
import { openMemorySqlite } from "../support/memory-sqlite.ts";
import { randomFrom, SEED } from "../support/random.ts";
import { createTill, eventsOf } from "./till.ts";

const RUNS = 10 * Number(process.env["TEST_SALES_RUNS"] ?? 3);
const START = Date.UTC(2027, 0, 31, 10);
const CREDITS = 30;

class Killed extends Error {}

/** Steps that wait until the test releases them, in any order, or at which their caller crashes. */
function createSteps() {
  const waiting: { go: () => void; die: () => void }[] = [];
  const step = () =>
    new Promise<void>((go, reject) => waiting.push({ go, die: () => reject(new Killed()) }));
  const stepwise = <Part extends object>(part: Part): Part =>
    wrapMethods(part, async (act) => {
      await step();
      const outcome = await act();
      await step();
      return outcome;
    });
  return { waiting, stepwise };
}

type Life = ReturnType<typeof openLife>;
type Call = { callId: string; now: number };

function openLife(t: TestContext, kind: Offer["kind"], random: () => number) {
  const clock = { at: START };
  const driver = openMemorySqlite();
  t.after(() => driver.close());
  const till = createTill(() => clock.at);
  const ledger = createMemoryLedger();
  const purchases = createPurchaseStore(createSqliteDatabase(driver));
  const offer: Offer = {
    ...{ id: "it", kind, name: "it", credits: CREDITS, price: 500, currency: "eur" },
    months: kind === "pack" ? 12 : null,
  };
  const packs = kind === "pack" ? [offer] : [];
  const lifetime = kind === "lifetime" ? offer : null;
  const prices = { packs, lifetime, taxes: "none", contact: null, recommended: null } as const;
  const deps: BillingDeps = {
    ...{ provider: till.provider, purchases, ledger, prices },
    // The clocks of nodes differ.
    now: () => clock.at + Math.floor(random() * 2000),
    newId: (prefix) => `${prefix}_one`,
  };
  return { clock, till, ledger, purchases, deps, accounts: createFixture({ ledger }) };
}

/** Callers that settle a purchase step by step. `hasRight`: one began after the last change of the payment and has finished. */
function createSettlers({ deps }: Life, session: string, random: () => number) {
  const { waiting, stepwise } = createSteps();
  const provider = stepwise(deps.provider);
  const stepped = { provider, purchases: stepwise(deps.purchases), ledger: stepwise(deps.ledger) };
  const state = { count: 0, hasRight: false, faults: [] as unknown[] };
  let changes = 0;
  // In some runs the caller of the last step usually takes the next one too, while others wait.
  const haste = random() < 0.5 ? 1 : 5;
  return {
    state,
    async begin() {
      const seen = changes;
      state.count += 1;
      try {
        await createBilling({ ...deps, ...stepped }).settle({ session });
        state.hasRight ||= seen === changes;
      } catch (error) {
        const isGone = error instanceof Killed || error instanceof NotCarriedOut;
        if (!isGone) state.faults.push(error);
      }
      state.count -= 1;
    },
    /** What was read so far may be outdated. */
    change() {
      changes += 1;
      state.hasRight = false;
    },
    async move() {
      const place = (1 - random() ** haste) * waiting.length;
      const [next] = waiting.splice(Math.min(Math.floor(place), waiting.length - 1), 1);
      if (random() < 0.02) next?.die();
      else next?.go();
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    },
  };
}

/** One call, and sometimes the reversal of an earlier one. `calls` are those in effect. */
async function call({ accounts, ledger, clock }: Life, calls: Call[], random: () => number) {
  const order = { callId: `call${random()}`, now: clock.at };
  if ((await accounts.debit(ADA, order)).outcome === "debited") calls.push(order);
  if (random() > 0.4) return;
  const [gone] = calls.splice(Math.floor(random() * calls.length), 1);
  if (gone === undefined) return;
  await ledger.reverse({ account: ADA, callId: gone.callId, at: gone.now, now: clock.at });
}

async function live(t: TestContext, random: () => number): Promise<string> {
  const life = openLife(t, random() < 0.5 ? "pack" : "lifetime", random);
  const { clock, till, ledger, purchases, deps, accounts } = life;
  await accounts.account("Ada");
  const begun = await createBilling(deps).begin({
    ...{ account: ADA, offer: "it", email: "ada@example.org" },
    urlsOf: () => ({ successUrl: "", cancelUrl: "" }),
  });
  assert.ok(begun.outcome === "begun" && begun.purchase.session !== null);
  const { session } = begun.purchase;
  const page = till.state(session);
  assert.ok(page);
  const { state, begin, change, move } = createSettlers(life, session, random);
  const calls: Call[] = [];
  for (let no = 0; no < 160; no += 1) {
    clock.at += Math.floor(random() * 3);
    const what = random();
    if (what < 0.05) {
      const events = Object.values(eventsOf(page, clock.at, random));
      events[Math.floor(random() * events.length)]?.();
      change();
    } else if (what < 0.12) await call(life, calls, random);
    else if (what < 0.2 && state.count < 4) void begin();
    else await move();
    const row = await purchases.find({ session });
    // A caller that read before a full refund may still grant; the row that it then finds makes it claw back.
    const isGranting = row?.grant === null && backOf(page) === CREDITS;
    if (state.hasRight && !isGranting) await check(ledger, page, calls.length);
  }
  while (state.count > 0) await move();
  assert.deepEqual(state.faults, []);
  await createBilling(deps).settle({ session });
  await check(ledger, page, calls.length);
  const row = await purchases.find({ session });
  assert.ok(row);
  const due = row.grant === null ? 0 : Math.min(backOf(page), row.voided + calls.length);
  assert.equal(row.voided + row.spent, due);
  const { ok, faults } = await ledger.audit({ now: clock.at });
  assert.deepEqual({ ok, faults }, { ok: true, faults: [] });
  return `${row.offer.kind} ${page.status} ${page.dispute}`;
}

const backOf = ({ paid, refunded, dispute }: Parameters<typeof eventsOf>[0]) =>
  dispute === "open" || dispute === "lost" || refunded === paid
    ? CREDITS
    : Math.floor((CREDITS * refunded) / paid);

/** The ledger matches the payment. */
async function check(ledger: Ledger, page: Parameters<typeof eventsOf>[0], spent: number) {
  const { balance, lifetime, grants } = await ledger.credits({ account: ADA, now: START });
  const back = page.status === "paid" ? backOf(page) : CREDITS;
  assert.equal(balance, Math.max(0, CREDITS - back - spent));
  assert.equal(lifetime, page.bought?.kind === "lifetime" && back < CREDITS);
  assert.ok(grants.length <= 1);
}

test(`${RUNS} random interleavings of callers end with the credits that are paid for, and stay there`, async (t) => {
  t.diagnostic(`TEST_SEED=${SEED}`);
  const ends = new Set<string>();
  for (let run = 0; run < RUNS; run += 1) {
    try {
      ends.add(await live(t, randomFrom(SEED + run)));
    } catch (error) {
      throw new Error(`The run with TEST_SEED=${SEED + run} failed`, { cause: error });
    }
  }
  assert.ok(ends.size > 3, `only ${[...ends]}`);
});
