/**
 * Records of what operators did. `subject` is the id of an account, key or payment and never an email address, because a closed
 * account's address must be deleted.
 */
export type OperatorAction = {
  at: number;
  /** The user of the operating system who ran the command, as the command line says. */
  by: string;
  /** The name of the operation, which is its command. */
  action: string;
  subject: string | null;
  outcome: ActionOutcome;
  /** The result, or why the action was rejected. */
  detail: string | null;
  /** The network address of the client. Null for the socket in the data folder, and where it is not known. */
  address: string | null;
};

/**
 * - `started`: the action is running, or its process died and parts of it may be done
 * - `done`: the action was carried out
 * - `unchanged`: the order was valid, but there was nothing to change
 * - `refused`: nothing was changed, and `detail` says why
 * - `failed`: nothing was changed, and the operator can try again
 * - `unknown`: an error interrupted the action, and parts of it may be done
 */
export const ACTION_OUTCOMES = [
  "started",
  "done",
  "unchanged",
  "refused",
  "failed",
  "unknown",
] as const;
export type ActionOutcome = (typeof ACTION_OUTCOMES)[number];

/** How an action ended. */
export type ActionEnd = Pick<OperatorAction, "outcome" | "detail">;

/** The port for records of actions; stores implement it. */
export type OperatorActions = {
  /** Records an action before it changes anything. Keeps the newest `ACTIONS_KEPT`; longer texts are cut to `ACTION_TEXT_CHARS_MAX`. */
  start(action: Omit<OperatorAction, keyof ActionEnd>): Promise<{ id: string }>;
  /** Records how an action ended. Null removes the record, because nothing was changed. */
  end(order: { id: string; end: ActionEnd | null }): Promise<{ recorded: true }>;
  /** Lists at most `max` actions, newest first. `after` is the `next` of the previous page. */
  list(order: {
    after: string | null;
    max: number;
  }): Promise<{ actions: (OperatorAction & { id: string })[]; next: string | null }>;
};

/** Years of normal use. The bound limits what a script in an endless loop can write. */
export const ACTIONS_KEPT = 100_000;
export const ACTION_TEXT_CHARS_MAX = 300;
