import { AccountError } from "#accounts/people.ts";
import { NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import type { ActEnd, OperatorAct } from "./acts.ts";
import type { OperatorContext } from "./context.ts";
import { type Act, done, unchanged } from "./define-operation.ts";
import { type OperationName, operationOf } from "./operations.ts";

/** The operator who sends an order, and the network address it comes from. */
export type Operator = Pick<OperatorAct, "by" | "address">;

/** A token of the setting TOOLBOOTH_OPERATOR_TOKEN. Its name appears in the records of acts. */
export type OperatorToken = { name: string; token: string };

export type PerformDeps = {
  context: OperatorContext;
  operator: Operator;
  now(): number;
  /**
   * Called with every act that ended, for the log, before its outcome is recorded. Contains no key and no email
   * address.
   */
  onAct?(act: OperatorAct): void;
};

/**
 * Runs an operation. An act is recorded as started before it changes anything, and its outcome is recorded before this
 * function returns or throws; if the process dies in between, the record stays `started`. Of an act in several parts,
 * the first, the last and any failed part are recorded.
 */
export async function perform(
  deps: PerformDeps,
  name: OperationName,
  input: unknown,
): Promise<unknown> {
  const operation = operationOf(name);
  const { act } = operation;
  const run = () => operation.run(deps.context, input);
  if (act === null) return run();
  const isPart = act.isPart?.(input) === true;
  const { operator, now } = deps;
  const base = { at: now(), ...operator, act: name, subject: act.subject(input) };
  const started = isPart ? null : await start(deps, base);
  const record = async (end: ActEnd | null) => {
    if (end !== null) deps.onAct?.({ ...base, ...end });
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
  if (!isPart) await record(endOf(act, input, result));
  return result;
}

const start = ({ context: { acts } }: PerformDeps, act: Omit<OperatorAct, keyof ActEnd>) =>
  acts.start(act).catch((cause) => {
    throw new NotCarriedOut("The operator act could not be recorded", { cause });
  });

const recordEnd = ({ context: { acts } }: PerformDeps, id: string, end: ActEnd | null) =>
  acts.end({ id, end }).catch((cause) => {
    // Not `NotCarriedOut`: the act itself may have been done.
    throw new Error("The outcome of an operator act could not be recorded", { cause });
  });

function endOf(act: Act<unknown, unknown>, input: unknown, result: unknown): ActEnd | null {
  if (act.end !== undefined) return act.end(result, input);
  const isFound = (result as { found?: boolean } | null)?.found !== false;
  return isFound ? done() : unchanged("not found");
}

function endOfError(error: unknown): ActEnd {
  if (isRefused(error)) return { outcome: "refused", detail: withoutAddresses(error.message) };
  return { outcome: error instanceof NotCarriedOut ? "failed" : "unknown", detail: null };
}

/** Whether the error's message is for the operator: the order is valid, but cannot be carried out. */
export const isRefused = (error: unknown): error is Error =>
  error instanceof AccountError || error instanceof OrderRejected;

/** Removes email addresses, because the records outlive closed accounts. */
const withoutAddresses = (text: string) => text.replaceAll(/[^\s"@]+@[^\s"@]+/g, "(an address)");
