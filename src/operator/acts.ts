/**
 * What operators did, one row an act: a port; stores implement it. An account that is closed is forgotten, so `subject` is
 * the id of an account, a key or a payment, and never an email address.
 */
export type OperatorAct = {
  at: number;
  /** Who did it: the name of the operator's token, or the user of the operating system where no network was between. */
  by: string;
  /** The name of the operation. */
  act: string;
  subject: string | null;
  outcome: ActOutcome;
  /** What more there is to say: what came of it, or why it was refused. */
  detail: string | null;
  /** The network address that it came from, as far as it is known. */
  address: string | null;
};

/**
 * - `started`: it is under way, or broke off in the middle: whoever did it died, and some of it may be done
 * - `done`: it was carried out
 * - `unchanged`: it was good, and there was nothing to change
 * - `refused`: nothing was changed, and `detail` says why
 * - `failed`: nothing was changed, and it may be tried again
 * - `unknown`: an error came between, and some of it may be done
 */
export const ACT_OUTCOMES = [
  "started",
  "done",
  "unchanged",
  "refused",
  "failed",
  "unknown",
] as const;
export type ActOutcome = (typeof ACT_OUTCOMES)[number];

/** How an act ended. */
export type ActEnd = Pick<OperatorAct, "outcome" | "detail">;

export type OperatorActs = {
  /** Records an act, before anything of it is done. Keeps the newest `ACTS_KEPT`; texts are cut to `ACT_TEXT_CHARS_MAX`. */
  start(act: Omit<OperatorAct, keyof ActEnd>): Promise<{ id: string }>;
  /** `end` null: nothing was changed that is worth a line, and the act is removed. */
  end(order: { id: string; end: ActEnd | null }): Promise<{ recorded: true }>;
  /** Newest first, at most `max`; `after`: the `next` of the page before. */
  list(order: {
    after: string | null;
    max: number;
  }): Promise<{ acts: (OperatorAct & { id: string })[]; next: string | null }>;
};

/** Years of a busy operator's acts; a bound for a script that runs away. */
export const ACTS_KEPT = 100_000;
export const ACT_TEXT_CHARS_MAX = 300;
