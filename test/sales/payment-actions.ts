/** What happens to purchases, and how they are settled. */
import assert from "node:assert/strict";
import type { SettleOutcome, SettleRef } from "#billing/settle-purchase.ts";
import { HOUR_MS } from "#limits.ts";
import { balanceOf } from "../ledger/rules/model-account.ts";
import { count, fault, type Life, orNothing } from "./chance.ts";
import { checkPurchase } from "./laws.ts";
import type { Told } from "./model.ts";
import { eventsOf } from "./till.ts";
import type { World } from "./world.ts";

export async function begin(life: Life): Promise<void> {
  const { world, pick } = life;
  const { clock, prices, ledger, store } = world;
  const { id: account, email } = pick(world.users);
  const { id: offer } = pick([...prices.packs, prices.lifetime ?? prices.packs[0]]) ?? {};
  const order = {
    account,
    email,
    offer: offer ?? "",
    urlsOf: () => ({ successUrl: "", cancelUrl: "" }),
  };
  const accountState = await ledger.findAccount({ account, now: clock.at });
  const begun = await orNothing(world.billing(fault(life)).begin(order));
  const state = accountState?.state;
  if (begun === null) return;
  if (state !== "open") {
    const outcome = state === "closed" ? "no_account" : "account_suspended";
    return assert.equal(begun.outcome, outcome);
  }
  if (offer === "lifetime" && accountState?.lifetime) {
    return assert.equal(begun.outcome, "already_lifetime");
  }
  const rows = await store.purchases.list({ account, after: null, max: 9999 });
  const isPending = rows.some(({ offer: { kind }, status }) => `${kind} ${status}` === PENDING);
  if (begun.outcome === "begun") return assert.ok(offer !== "lifetime" || !isPending);
  if (begun.outcome === "lifetime_pending") return assert.ok(offer === "lifetime" && isPending);
  // A payment without a webhook is noticed when the plan is begun again.
  const found = await ledger.findAccount({ account, now: clock.at });
  if (begun.outcome === "already_lifetime") return assert.equal(found?.lifetime, true);
  assert.equal(begun.outcome, "too_many");
  const recent = rows.filter(({ session }) => session !== null)[9] ?? rows[29];
  assert.ok(recent && clock.at < recent.createdAt + HOUR_MS);
}

const PENDING = "lifetime pending";

export function somethingHappens(life: Life): void {
  const { world, pick, random } = life;
  const pages = [...world.till.pages.values()];
  // The newest purchase is still being paid.
  const page = random() < 0.6 ? pages.at(-1 - life.below(3)) : pick(pages);
  if (page === undefined) return;
  const events = Object.entries(eventsOf(page, world.clock.at, random));
  if (events.length === 0) return;
  const [name, happens] = pick(events);
  happens();
  count(life, name);
}

/** Delivers the webhook once or twice, at once, to a receiver that may break in the middle. */
export async function settleOne(life: Life): Promise<void> {
  const { world, random, pick } = life;
  const pages = [...world.till.pages.values()];
  const page = random() < 0.5 ? pages.at(-1) : pick(pages);
  if (page === undefined) return;
  const ref: SettleRef =
    random() < 0.5 || page.payment === null ? { session: page.session } : { payment: page.payment };
  const body = new TextEncoder().encode(JSON.stringify(ref));
  const [one, other] = [fault(life), fault(life)];
  const told = world.model.waiting().length;
  const before = balanceIn(world, page.account);
  const settles = [orNothing(world.billing(one).receive(body, "signed"))];
  if (random() < 0.3) settles.push(orNothing(world.billing(other).settle(ref)));
  await checkSettled(life, page.session, await Promise.all(settles));
  checkLevels(world, world.model.waiting().slice(told), before);
}

const balanceIn = ({ clock, model }: World, account: string | null): number => {
  const owner = account === null ? undefined : model.find(account);
  return owner === undefined ? 0 : balanceOf(owner, clock.at);
};

/** A level that the balance only passed through causes no event. */
function checkLevels(world: World, news: readonly Told[], before: number): void {
  for (const { account, content } of news) {
    const least = Math.min(before, balanceIn(world, account));
    if (content.kind === "credits.depleted") assert.equal(least, 0);
    if (content.kind === "credits.low") assert.ok(least < content.lowBalance);
  }
}

async function checkSettled(
  life: Life,
  session: string,
  outcomes: readonly (SettleOutcome | { outcome: "ignored" } | null)[],
): Promise<void> {
  const isSettled = outcomes.some((each) => each?.outcome === "settled");
  if (!isSettled)
    return assert.deepEqual(
      outcomes,
      outcomes.map(() => null),
    );
  await checkPurchase(life.world, session);
}

export async function reconcile(life: Life): Promise<void> {
  const { world } = life;
  const compared = await orNothing(world.billing(fault(life)).compare({ since: 0 }));
  if (compared === null) return;
  for (const { session } of world.till.pages.values()) {
    await checkPurchase(world, session);
  }
}
