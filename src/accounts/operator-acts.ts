/**
 * What operators did over the network, one row an act: a port; stores implement it. Whose account was closed is
 * forgotten, so `subject` is the id of an account or of a key and never an address.
 */
export type OperatorAct = {
  at: number;
  /** The name of the operation. */
  act: string;
  subject: string | null;
  outcome: string;
  /** The network address that it came from, as far as it is known. */
  address: string | null;
};

export type OperatorActs = {
  /** Keeps the newest `ACTS_KEPT`; texts are cut to `ACT_TEXT_CHARS_MAX`. */
  note(act: OperatorAct): Promise<{ noted: true }>;
  /** Newest first, at most `max`; `after`: the `next` of the page before. */
  list(order: {
    after: string | null;
    max: number;
  }): Promise<{ acts: (OperatorAct & { id: string })[]; next: string | null }>;
};

/** Years of a busy operator's acts; a bound for a script that runs away. */
export const ACTS_KEPT = 100_000;
export const ACT_TEXT_CHARS_MAX = 300;
