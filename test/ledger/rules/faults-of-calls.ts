/** Faults in the path of a call. */

/** One place in one file of `src`, and what stands there instead. */
export type ApiError = { what: string; file: string; find: string; replace: string };

export const fault = (file: string, what: string, find: string, replace: string): ApiError => ({
  ...{ what, file: `ledger/${file}.ts`, find, replace },
});

export const OF_DEBITS: ApiError[] = [
  fault("rules/debit", "a revoked key debits", "key.revokedAt !== null || ", ""),
  fault(
    "rules/debit",
    "a balance of just the price is too little",
    "balance < credits",
    "balance <= credits",
  ),
  fault(
    "rules/debit",
    "a call priced 0 uses the free call up",
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
    "now >= earlier.at + IDEM",
    "now > earlier.at + IDEM",
  ),
  fault(
    "rules/debit",
    "another body is replayed",
    "earlier.bodySha256 !== idempotency.bodySha256",
    "false",
  ),
  fault(
    "rules/debit",
    "a call sent again is refused when its key was revoked",
    'rows.debit === undefined ? { need: "debit" } : unchanged(outcome)',
    "unchanged(outcome)",
  ),
  fault(
    "rules/debit",
    "a reversed call is debited when it is sent again",
    "reversedAt !== null)",
    "false)",
  ),
  fault(
    "rules/debit",
    "the front of the store's prefix is taken for the only grant",
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
    'account.state === "suspended") return refuse',
    "false) return refuse",
  ),
  fault(
    "rules/debit",
    "a use of a key is recorded too late",
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

export const OF_REVERSALS: ApiError[] = [
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
    "what is clawed back can be spent after a reversal",
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
