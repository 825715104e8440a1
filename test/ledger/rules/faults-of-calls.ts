/** Faults in the path of a call. */

/** One place in one file of `src`, and what stands there instead. */
export type RuleFault = { what: string; file: string; find: string; replace: string };

export const fault = (file: string, what: string, find: string, replace: string): RuleFault => ({
  what,
  file: `ledger/${file}.ts`,
  find,
  replace,
});

export const OF_DEBITS: RuleFault[] = [
  fault("rules/key-limits", "a revoked key debits", "key.revokedAt !== null || ", ""),
  fault(
    "rules/debit",
    "a balance equal to the price is too little",
    "balance < credits",
    "balance <= credits",
  ),
  fault(
    "rules/debit",
    "a call with a price of 0 uses up the free call",
    "credits > 0 && credits <= free",
    "credits <= free",
  ),
  fault("rules/debit", "the free call is free at any price", " && credits <= freeCallCredits", ""),
  fault(
    "rules/debit",
    "an account has a free call each time",
    'freeCall: "used"',
    'freeCall: "open"',
  ),
  fault(
    "rules/debit",
    "an idempotency key is kept a millisecond long",
    "clock ?? now) < earlier.at + IDEM",
    "clock ?? now) <= earlier.at + IDEM",
  ),
  fault(
    "rules/debit",
    "the status of a key says of every idempotency key that it is kept",
    "isKept(rows, order);",
    "true;",
  ),
  fault(
    "rules/debit",
    "another body is replayed",
    "earlier.bodySha256 !== idempotency.bodySha256",
    "false",
  ),
  fault(
    "rules/debit",
    "a repeated call is rejected if its key was revoked",
    'rows.debit === undefined ? { need: "debit" } : unchanged(outcome)',
    "unchanged(outcome)",
  ),
  fault(
    "rules/debit",
    "a reversed call is debited when it is repeated",
    "reversedAt !== null)",
    "false)",
  ),
  fault(
    "rules/debit",
    "the first of the loaded grants is taken for the only one",
    "taken.front === undefined && !areAll",
    "false",
  ),
  fault("rules/debit", "only the first grant pays", "due -= part;", "due = 0;"),
  fault(
    "rules/debit",
    "a debit of several grants names one",
    "parts.length < 2",
    "parts.length < 3",
  ),
  fault(
    "rules/debit",
    "a suspended account is charged",
    'account.state === "suspended") return reject',
    "false) return reject",
  ),
  fault(
    "rules/debit",
    "the use of a key is recorded too late",
    "< LAST_USED_STEP_MS",
    "<= LAST_USED_STEP_MS",
  ),
  fault(
    "rules/debit",
    "the highest price is not allowed",
    "credits <= PRICE_CREDITS_MAX",
    "credits < PRICE_CREDITS_MAX",
  ),
];

export const OF_REVERSALS: RuleFault[] = [
  fault("rules/reverse", "a call is reversed twice", "debit.reversedAt !== null)", "false)"),
  fault(
    "rules/reverse",
    "an unknown call leaves no mark",
    "changes: { debit: markOf(callId, at, now) }",
    "changes: {}",
  ),
  fault("rules/reverse", "the free call stays used", 'freeCall: "open"', 'freeCall: "used"'),
  fault("rules/reverse", "each grant gets the whole price back", "byId.get(id) ?? 0", "credits"),
  fault(
    "rules/reverse",
    "clawed-back credits can be spent after a reversal",
    "Math.min(credits, missing)",
    "0",
  ),
  fault(
    "rules/reverse",
    "all that comes back to a grant clawed back in part is voided",
    "Math.max(0, grant.clawback - grant.voided)",
    "grant.clawback > grant.voided ? credits : 0",
  ),
  fault(
    "rules/reverse",
    "a closed account gets credits back",
    "isClosed && isSpendable(returned, now)",
    "false",
  ),
  fault("rules/reverse", "a reversed call is replayed", "forgetCall: { callId, at },", ""),
  fault(
    "rules/reverse",
    "a better balance is not recorded",
    "recordIfBetter(balanced)",
    "balanced.account",
  ),
];

export const OF_KEY_LIMITS: RuleFault[] = [
  fault(
    "rules/key-limits",
    "a key works at the millisecond of its expiry",
    "now < expiredAt ? null",
    "now <= expiredAt ? null",
  ),
  fault(
    "rules/key-limits",
    "a replaced secret never stops working",
    "key.sha256 === keySha256 ? null : previousUntil",
    "null",
  ),
  fault(
    "rules/key-limits",
    "a key works from any network",
    "networks !== null && !isFromOneOf(networks, address)",
    "false",
  ),
  fault("rules/key-limits", "a key calls any tool", "!tools.includes(tool)", "false"),
  fault(
    "rules/key-limits",
    "a budget cannot be spent to its end",
    "left.remaining >= credits",
    "left.remaining > credits",
  ),
  fault(
    "rules/key-limits",
    "a budget goes below zero",
    "left.remaining >= credits",
    "left.remaining > 0",
  ),
  fault("rules/key-limits", "a budget does not add up", "day: day + credits", "day: credits"),
  fault(
    "rules/key-limits",
    "a reversal gives a later day credits back",
    "dayOf(at) === spent.on",
    "true",
  ),
  fault(
    "rules/key-limits",
    "a reversal gives a later month credits back",
    "monthOf(at) === monthOf(spent.on)",
    "true",
  ),
  fault(
    "rules/key-limits",
    "a reversal gives credits back that were never counted",
    "at <= spent.since",
    "false",
  ),
  fault(
    "rules/key-limits",
    "a reversal leaves the budget in all as it is",
    "less(spent.total, true)",
    "spent.total",
  ),
  fault(
    "rules/key-limits",
    "new limits reset what was spent",
    "if (spent === null) return",
    "return",
  ),
  fault(
    "key-limits",
    "a clock that is behind resets a budget",
    "on <= spent.on && !isFromAhead",
    "on === spent.on && !isFromAhead",
  ),
  fault(
    "key-limits",
    "a clock that was ahead keeps a budget used up",
    "const isFromAhead = spent.on > dayOf(clock) + DAY_MS",
    "const isFromAhead = false",
  ),
  fault(
    "key-limits",
    "what a clock that was ahead counted can be given back twice",
    "isFromAhead ? Math.max(spent.since, clock) : spent.since",
    "spent.since",
  ),
  fault(
    "rules/key-limits",
    "a changed budget keeps what was spent",
    'day: isNew("day") ? 0 : counted.day',
    "day: counted.day",
  ),
  fault(
    "rules/key-limits",
    "a changed budget takes the other one with it",
    'month: isNew("month") ? 0 : counted.month',
    "month: 0",
  ),
  fault(
    "rules/key-limits",
    "a call before a changed budget gives it credits back",
    "since: Math.max(counted.since, since)",
    "since: counted.since",
  ),
  fault(
    "key-limits",
    "each day resets the budget of the month",
    "monthOf(on) !== monthOf(spent.on)",
    "true",
  ),
  fault(
    "rules/keys",
    "a repeated rotation drops the old secret",
    "key.previousUntil === previousUntil",
    "false",
  ),
  fault(
    "rules/debit",
    "the free call needs a budget",
    "exhaustedBudget(key, credits, order.now, rows.clock)",
    "exhaustedBudget(key, order.credits, order.now, rows.clock)",
  ),
];
