/** Compares everything that can be read from a ledger with the model. */
import assert from "node:assert/strict";
import type { Entry } from "#ledger/entries.ts";
import type { FreeCall, Ledger } from "#ledger/port.ts";
import type { Model } from "../../ledger/rules/model.ts";
import {
  balanceOf,
  freeCallOf,
  heldOf,
  lifetimeGrantsOf,
  type ModelAccount,
  spendableOf,
} from "../../ledger/rules/model-account.ts";
import { viewOf } from "../../ledger/rules/model-grants.ts";
import { viewOfKey } from "../../ledger/rules/model-keys.ts";
import {
  entriesOf,
  lineOfCall,
  linesOfUsage,
  totalsOf,
  usageOf,
} from "../../ledger/rules/model-sums.ts";
import { ADA, BOB, NOBODY } from "../../ledger/rules/names.ts";
import { allEntries, assertTotals, sortedUsage } from "./fixture.ts";

export type Compared = { ledger: Ledger; model: Model; now: number };

/** A page with every entry of a run. */
export const ENTRIES_MAX = 1000;

/** The balance, the plan, and every grant: those that can be spent in the order in which they are. */
export async function compareCredits({ ledger, model, now }: Compared): Promise<void> {
  for (const account of [ADA, BOB, NOBODY]) {
    const { balance, held, lifetime, grants } = await ledger.credits({ account, now });
    const modelled = model.find(account);
    if (modelled === undefined) {
      assert.deepEqual({ balance, lifetime, grants }, { balance: 0, lifetime: false, grants: [] });
      continue;
    }
    assert.equal(balance, balanceOf(modelled, now));
    assert.equal(held, heldOf(modelled));
    assert.equal(lifetime, lifetimeGrantsOf(modelled) > 0);
    const spendable = spendableOf(modelled, now);
    const others = modelled.grants.filter((grant) => !spendable.includes(grant));
    assert.deepEqual(grants.slice(0, spendable.length), spendable.map(viewOf));
    assert.deepEqual(byId(grants.slice(spendable.length)), byId(others.map(viewOf)));
  }
}

export async function compareStates({ ledger, model, now }: Compared): Promise<void> {
  for (const account of [ADA, BOB, NOBODY]) {
    const [found, keys] = [
      await ledger.findAccount({ account, now }),
      await ledger.listKeys({ account }),
    ];
    const modelled = model.find(account);
    assert.deepEqual(found, modelled === undefined ? null : statusOf(modelled, now));
    const expected = modelled?.keys.map((key) => ({ account, ...viewOfKey(key) })) ?? [];
    assert.deepEqual(byId(keys), byId(expected));
  }
}

export const statusOf = (account: ModelAccount, now: number) => ({
  account: account.id,
  state: account.state,
  createdAt: account.createdAt,
  freeCall: freeCallOf(account) as FreeCall,
  balance: balanceOf(account, now),
  held: heldOf(account),
  lifetime: lifetimeGrantsOf(account) > 0,
  lowBalance: account.lowBalance,
  prices: Object.fromEntries(account.prices),
});

/** The totals, the usage and the entries of all accounts. */
export async function compareAll(compared: Compared): Promise<void> {
  await compareEntries(compared, ENTRIES_MAX);
  await compareUsage(compared);
}

/** The totals and the usage of all accounts together. */
export async function compareUsage({ ledger, model, now }: Compared): Promise<void> {
  const { totals } = await assertTotals(ledger, now);
  assert.deepEqual(totals, totalsOf(model.accounts.values(), now));
  const nameOf = (row: { hour: number; account: string; key: string; tool: string }) =>
    `${row.hour} ${row.account} ${row.key} ${row.tool}`;
  const expected = usageOf(model.accounts.values());
  expected.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER };
  assert.deepEqual(await sortedUsage(ledger, [ADA, BOB], range), expected);
}

/** Pages of any size give the same list, and the list is of what the model has seen, rolled up or not. */
export async function compareEntries({ ledger, model, now }: Compared, max: number): Promise<void> {
  for (const account of [ADA, BOB, NOBODY]) {
    const entries = await allEntries(ledger, account, now, max);
    const modelled = model.find(account);
    if (modelled === undefined) assert.deepEqual(entries, []);
    else compareLines(entries, modelled, now);
    if (max < ENTRIES_MAX) assert.deepEqual(entries, await allEntries(ledger, account, now));
  }
}

/** Each call is an entry of its own or, where it was rolled up, a part of a sum; one that was reversed is never in a sum. */
function compareLines(entries: Entry[], account: ModelAccount, now: number): void {
  const of = (...kinds: Entry["kind"][]) =>
    entries.filter(({ kind }) => kinds.includes(kind)).map(lineOfEntry);
  assert.deepEqual(of("grant", "reversal", "expiry", "void").sort(), entriesOf(account, now));
  const unlisted = new Map(account.calls.map((call) => [lineOfCall(call), call]));
  for (const line of of("debit")) assert.ok(unlisted.delete(line), `no call is: ${line}`);
  const rolledUp = [...unlisted.values()];
  for (const call of rolledUp) assert.equal(call.reversedAt, null, `unlisted: ${lineOfCall(call)}`);
  assert.deepEqual(of("usage").sort(), linesOfUsage(account, rolledUp));
}

function lineOfEntry({ id, at, kind, credits, grant, parts, tool, key, calls }: Entry): string {
  if (kind === "usage") return `usage ${at} ${tool} ${key} ${calls} ${credits}`;
  if (kind !== "debit" && kind !== "reversal")
    return `${kind} ${at} ${grant?.kind} ${grant?.id} ${credits}`;
  const [, ...name] = id.split(":");
  const paid = parts ?? (grant === null ? [] : [{ grant, credits }]);
  assert.equal(name[0], `${at}`);
  assert.equal(paid[0]?.grant.id, grant?.id);
  const lines = paid.map((part) => `${part.grant.kind} ${part.grant.id} ${part.credits}`);
  return [kind, name.join(":"), tool, key, credits, ...lines].join(" ");
}

const byId = <Named extends { id: string }>(all: readonly Named[]) =>
  all.toSorted((one, other) => (one.id < other.id ? -1 : 1));
