/** Faults that somebody could make in the rules. The model has to find each of them. */
import {
  fault,
  OF_DEBITS,
  OF_KEY_LIMITS,
  OF_REVERSALS,
  type RuleFault,
} from "./faults-of-calls.ts";

const OF_GRANTS: RuleFault[] = [
  fault("rules/grants", "a grant is made twice", "earlier !== undefined)", "false)"),
  fault(
    "rules/grants",
    "a grant made on the lifetime plan expires",
    "isOnPlan ? null : end",
    "end",
  ),
  fault(
    "rules/grants",
    "credits that expired long ago come back with the plan",
    "expiresAt !== null && expiresAt > now",
    "expiresAt !== null",
  ),
  fault(
    "rules/grants",
    "credits that expire this millisecond come back with the plan",
    "expiresAt > now)",
    "expiresAt >= now)",
  ),
  fault(
    "rules/grants",
    "the end of the plan restores no expiries",
    ".filter(({ waivedExpiresAt }) => waivedExpiresAt !== null)",
    ".filter(() => false)",
  ),
  fault(
    "rules/grants",
    "a lifetime grant clawed back in part ends the plan",
    "clawback < amount",
    "clawback === 0",
  ),
  fault(
    "rules/grants",
    "an older version counts",
    "order.version < grant.clawbackVersion",
    "false",
  ),
  fault(
    "rules/grants",
    "the same version counts once",
    "order.version < grant.clawbackVersion",
    "order.version <= grant.clawbackVersion",
  ),
  fault(
    "rules/grants",
    "an order that only raises a clawback lowers it",
    "order.credits < grant.clawback",
    "false",
  ),
  fault(
    "rules/grants",
    "expired credits are voided",
    "isSpendable(grant, order.now) ? grant.remaining : 0",
    "grant.remaining",
  ),
  fault(
    "rules/grants",
    "credits that a closed account forfeited come back",
    "isClosed ? 0 : missing",
    "missing",
  ),
  fault("rules/grants", "a clawback never falls", ": isClosed ? 0 : missing", ": 0"),
  fault(
    "rules/grants",
    "a clawback takes the whole figure each time",
    "clawback - grant.voided",
    "clawback",
  ),
  fault(
    "rules/grants",
    "more than the grant is clawed back",
    "Math.min(order.credits, grant.amount)",
    "order.credits",
  ),
];

const OF_RETURNS: RuleFault[] = [
  fault(
    "rules/grants",
    "credits that come back have no event",
    "eventsOfReturn(grant, clawed, order.now)",
    "[]",
  ),
  fault(
    "rules/grants",
    "the event of returned credits contains all remaining ones",
    "before.voided - after.voided",
    "after.remaining",
  ),
  fault(
    "rules/grants",
    "credits that come back expired have an event",
    "amount <= 0 || !isSpendable(after, now)",
    "amount <= 0",
  ),
];

const OF_BALANCES: RuleFault[] = [
  fault("rules/balance", "voided later counts as the first time", "grant.voidedAt ?? now", "now"),
  fault("rules/balance", "what is undone whole was voided still", "voided === 0 ? null : ", ""),
  fault(
    "rules/balance",
    "a grant can be spent at the millisecond of its expiry",
    "now < expiresAt",
    "now <= expiresAt",
  ),
  fault(
    "rules/balance",
    "grants that never expire are spent first",
    "one.expiresAt === null) return 1",
    "one.expiresAt === null) return -1",
  ),
  fault(
    "rules/balance",
    "the youngest is spent first",
    "one.grantedAt - other.grantedAt",
    "other.grantedAt - one.grantedAt",
  ),
  fault(
    "rules/balance",
    "the previous credits of a changed grant count too",
    "balance -= earlier.remaining",
    "balance -= 0",
  ),
  fault(
    "rules/balance",
    "an expired front is not noticed",
    "|| (front?.id ?? null) !== account.frontGrant",
    "",
  ),
  fault("rules/balance", "an imported balance is believed", "account.rest < 0 || ", ""),
  fault(
    "rules/balance",
    "the rest holds the front too",
    "balance - (front?.remaining ?? 0)",
    "balance",
  ),
  fault(
    "rules/balance",
    "the loaded grants are taken for all",
    "known.length === 0 && !rows.areAll",
    "false",
  ),
  fault(
    "rules/balance",
    "a new grant never comes first",
    "[...known, ...others].sort(compareBurnOrder)",
    "[...known, ...others]",
  ),
  fault(
    "rules/balance",
    "the event of a low balance is written again",
    "notifiedLevel: level }, events",
    "notifiedLevel: account.notifiedLevel }, events",
  ),
];

const OF_ACCOUNTS: RuleFault[] = [
  fault(
    "rules/accounts",
    "a closed account is opened again",
    'account === null || account.state === "closed")\n      return',
    "account === null)\n      return",
  ),
  fault(
    "rules/accounts",
    "closing forfeits what has expired",
    "isSpendable(grant, now) ? grant.remaining : 0",
    "grant.remaining",
  ),
  fault(
    "rules/accounts",
    "expiries of a closed account fall due",
    "eventDueAt: null };",
    "eventDueAt: grant.eventDueAt };",
  ),
  fault("rules/accounts", "a due event is written twice", "grant.eventDueAt <= now", "true"),
  fault(
    "rules/accounts",
    "an expiry does not lower the level",
    "const notified = notifyIfWorse(balanced);",
    "const notified = { ...balanced, events: [] };",
  ),
  fault("rules/accounts", "a spent grant has an event of its expiry", "remaining === 0 || ", ""),
  fault("rules/keys", "a key that is made again has a second event", "key != null)", "false)"),
  fault("rules/keys", "two keys have one SHA-256", "if (isKeyTaken)", "if (false)"),
  fault(
    "rules/grants",
    "a repeated grant is rejected after the account was closed",
    'if (account === null) return { outcome: { outcome: "no_account" }, changes: {} };\n  const earlier',
    'if (account === null || account.state === "closed") return { outcome: { outcome: "no_account" }, changes: {} };\n  const earlier',
  ),
  fault("rules/accounts", "closing again forfeits nothing", "forfeitedOf(concerned)", "0"),
  fault(
    "rules/accounts",
    "clawed-back credits are forfeited",
    "Math.max(0, voided - clawback)",
    "voided",
  ),
  fault(
    "rules/keys",
    "a revoked key is revoked anew",
    "key.revokedAt !== null) return { outcome: { found",
    "false) return { outcome: { found",
  ),
  fault("events", "the bound itself is low", "balance < lowBalance ?", "balance <= lowBalance ?"),
  fault("events", "the last event ahead is a millisecond late", "at > now)", "at >= now)"),
  fault(
    "events",
    "the event a week ahead says a month",
    "now >= expiresAt - days * DAY_MS",
    "now > expiresAt - days * DAY_MS",
  ),
  fault("events", "the end itself is not due", "[...ahead, expiresAt]", "ahead"),
];

export const FAULTS: readonly RuleFault[] = [
  ...OF_DEBITS,
  ...OF_REVERSALS,
  ...OF_KEY_LIMITS,
  ...OF_GRANTS,
  ...OF_RETURNS,
  ...OF_BALANCES,
  ...OF_ACCOUNTS,
];
