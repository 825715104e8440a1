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
  outcome: string;
  /** The network address that it came from, as far as it is known. */
  address: string | null;
};

export type OperatorActs = {
  /** Keeps the newest `ACTS_KEPT`; texts are cut to `ACT_TEXT_CHARS_MAX`. */
  record(act: OperatorAct): Promise<{ recorded: true }>;
  /** Newest first, at most `max`; `after`: the `next` of the page before. */
  list(order: {
    after: string | null;
    max: number;
  }): Promise<{ acts: (OperatorAct & { id: string })[]; next: string | null }>;
};

/** Years of a busy operator's acts; a bound for a script that runs away. */
export const ACTS_KEPT = 100_000;
export const ACT_TEXT_CHARS_MAX = 300;
