import { AccountError } from "#accounts/accounts.ts";
import { NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import type { ActionEnd, OperatorAction } from "./actions.ts";
import type { OperatorContext } from "./context.ts";
import { type Action, done, unchanged } from "./define-operation.ts";
import { type OperationName, operationOf } from "./operations.ts";

/** The operator who sends an order, and the network address it comes from. */
export type Operator = Pick<OperatorAction, "by" | "address">;

/** A token of the setting TOOLBOOTH_OPERATOR_TOKEN. Its name appears in the records of actions. */
export type OperatorToken = { name: string; token: string };

export type PerformDeps = {
  context: OperatorContext;
  operator: Operator;
  now(): number;
  /**
   * Called with every action that ended, for the log, before its outcome is recorded. Contains no key and no email
   * address.
   */
  onAction?(action: OperatorAction): void;
};

/**
 * Runs an operation. An action is recorded as started before it changes anything, and its outcome is recorded before this
 * function returns or throws; if the process dies in between, the record stays `started`. Of an action in several parts,
 * the first, the last and any failed part are recorded.
 */
export async function perform(
  deps: PerformDeps,
  name: OperationName,
  input: unknown,
): Promise<unknown> {
  const operation = operationOf(name);
  const { action } = operation;
  const run = () => operation.run(deps.context, input);
  if (action === null) return run();
  const isPart = action.isPart?.(input) === true;
  const { operator, now } = deps;
  const base = { at: now(), ...operator, action: name, subject: action.subject(input) };
  const started = isPart ? null : await start(deps, base);
  const record = async (end: ActionEnd | null) => {
    if (end !== null) deps.onAction?.({ ...base, ...end });
    const { id } = started ?? (await start(deps, base));
    await recordEnd(deps, id, end);
  };
  let result: unknown;
  try {
    result = await run();
  } catch (error) {
    await record(endOfError(error));
    throw error;
  }
  if (!isPart) await record(endOf(action, input, result));
  return result;
}

/** Not `NotCarriedOut`: the action itself may have been done. */
export class OutcomeNotRecorded extends Error {
  constructor(cause: unknown) {
    const reason = (cause as Error).message ?? cause;
    super(
      `The outcome of the action could not be recorded (${reason}). It may have been carried out: check that before you run the command again.`,
      { cause },
    );
  }
}

const start = (
  { context: { actions } }: PerformDeps,
  action: Omit<OperatorAction, keyof ActionEnd>,
) =>
  actions.start(action).catch((cause) => {
    throw new NotCarriedOut("The operator action could not be recorded", { cause });
  });

const recordEnd = ({ context: { actions } }: PerformDeps, id: string, end: ActionEnd | null) =>
  actions.end({ id, end }).catch((cause) => {
    throw new OutcomeNotRecorded(cause);
  });

function endOf(
  action: Action<unknown, unknown>,
  input: unknown,
  result: unknown,
): ActionEnd | null {
  if (action.end !== undefined) return action.end(result, input);
  const isFound = (result as { found?: boolean } | null)?.found !== false;
  return isFound ? done() : unchanged("not found");
}

function endOfError(error: unknown): ActionEnd {
  if (isRefused(error)) return { outcome: "refused", detail: withoutAddresses(error.message) };
  return { outcome: error instanceof NotCarriedOut ? "failed" : "unknown", detail: null };
}

/** Whether the error's message is for the operator: the order is valid, but cannot be carried out. */
export const isRefused = (error: unknown): error is Error =>
  error instanceof AccountError || error instanceof OrderRejected;

/** Removes email addresses, because the records outlive closed accounts. */
const withoutAddresses = (text: string) => text.replaceAll(/[^\s"@]+@[^\s"@]+/g, "(an address)");
