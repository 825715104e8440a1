/**
 * Records of operator actions. `subject` is the id of an account, key or payment and never an email address, because a
 * closed account's address must be deleted.
 */
export type OperatorAct = {
  at: number;
  /** The name of the operator's token or, for a local command, the user of the operating system. */
  by: string;
  /** The name of the operation. */
  act: string;
  subject: string | null;
  outcome: ActOutcome;
  /** The result, or why the act was rejected. */
  detail: string | null;
  /** The network address of the client, if known. */
  address: string | null;
};

/**
 * - `started`: the act is running, or its process died and parts of it may be done
 * - `done`: the act was carried out
 * - `unchanged`: the order was valid, but there was nothing to change
 * - `refused`: nothing was changed, and `detail` says why
 * - `failed`: nothing was changed, and the operator can try again
 * - `unknown`: an error interrupted the act, and parts of it may be done
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

/** The port for records of acts; stores implement it. */
export type OperatorActs = {
  /** Records an act before it changes anything. Keeps the newest `ACTS_KEPT`; longer texts are cut to `ACT_TEXT_CHARS_MAX`. */
  start(act: Omit<OperatorAct, keyof ActEnd>): Promise<{ id: string }>;
  /** Records how an act ended. Null removes the record, because nothing was changed. */
  end(order: { id: string; end: ActEnd | null }): Promise<{ recorded: true }>;
  /** Lists at most `max` acts, newest first. `after` is the `next` of the previous page. */
  list(order: {
    after: string | null;
    max: number;
  }): Promise<{ acts: (OperatorAct & { id: string })[]; next: string | null }>;
};

/** Years of normal use. The bound limits what a script in an endless loop can write. */
export const ACTS_KEPT = 100_000;
export const ACT_TEXT_CHARS_MAX = 300;
