import assert from "node:assert/strict";
import { test } from "node:test";
import type { GrantKind } from "#ledger/port.ts";
import { RULES } from "#ledger/rules/rules.ts";
import { createChance } from "./chance.ts";
import { DAY } from "./model-account.ts";
import { createRowStore } from "./row-store.ts";

const NOW = 1000 * DAY;
const account = "ada";

/** An account with a pack that expires in 40 days. */
function openStore() {
  const store = createRowStore(RULES);
  const chance = createChance(1);
  store.execute("openAccount", { account, freeCall: "withheld", now: NOW }, chance);
  const grant = (id: string, kind: GrantKind, expiresAt: number | null) =>
    store.execute("grant", { account, id, kind, amount: 5, expiresAt, now: NOW }, chance);
  grant("pack", "pack", NOW + 40 * DAY);
  return { store, chance, grant, stored: () => store.accounts.get(account) };
}

// Two nodes list the grants that are due at the same time; the second one decides after the first.
test("a grant that two nodes saw as due has one event", () => {
  const { store, chance, stored } = openStore();
  const order = { account, grantNo: 1, now: NOW + 10 * DAY };
  const recorded = [1, 2].map(() => store.execute("recordDue", order, chance).outcome);
  assert.deepEqual(recorded, [{ recorded: true }, { recorded: false }]);
  const kinds = stored()?.events.map(({ kind }) => kind);
  assert.deepEqual(kinds, ["credits.granted", "credits.expiring"]);
});

test("a grant whose event is not due yet has none", () => {
  const { store, chance } = openStore();
  const order = { account, grantNo: 1, now: NOW + 10 * DAY - 1 };
  assert.deepEqual(store.execute("recordDue", order, chance).outcome, { recorded: false });
});

test("a closed account causes no expiry events, even if its plan ends and restores expiries", () => {
  const { store, chance, grant, stored } = openStore();
  grant("plan", "lifetime", null);
  store.execute("changeAccount", { account, state: "closed", now: NOW }, chance);
  const order = { account, grant: "plan", credits: 5, version: 1, now: NOW };
  store.execute("clawback", order, chance);
  const { expiresAt, eventDueAt } = stored()?.grants.get("pack") ?? {};
  assert.deepEqual({ expiresAt, eventDueAt }, { expiresAt: NOW + 40 * DAY, eventDueAt: null });
});
