import { AccountError } from "#accounts/people.ts";
import { NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import type { ActEnd, OperatorAct } from "./acts.ts";
import type { OperatorContext } from "./context.ts";
import { type Act, done, unchanged } from "./operation.ts";
import { type OperationName, operationOf } from "./operations.ts";

/** Who asks, and whence. */
export type Operator = Pick<OperatorAct, "by" | "address">;

export type Performing = {
  context: OperatorContext;
  operator: Operator;
  now(): number;
  /** Called with every act that has ended, before its outcome is recorded, for a log. Never a key, never an email address. */
  onAct?(act: OperatorAct): void;
};

/**
 * Runs an operation. One that changes something is recorded as started before anything is done, and its outcome before it is
 * given, also where it is refused or broke off: whoever dies between leaves it as started. Of an act that comes in
 * parts, the first and the last are recorded, and those that were refused.
 */
export async function perform(
  performing: Performing,
  name: OperationName,
  input: unknown,
): Promise<unknown> {
  const row = operationOf(name);
  const { act } = row;
  const run = () => row.run(performing.context, input);
  if (act === null) return run();
  const isPart = act.isPart?.(input) === true;
  const { operator, now } = performing;
  const line = { at: now(), ...operator, act: name, subject: act.subject(input) };
  const started = isPart ? null : await start(performing, line);
  const record = async (end: ActEnd | null) => {
    if (end !== null) performing.onAct?.({ ...line, ...end });
    const { id } = started ?? (await start(performing, line));
    await recordEnd(performing, id, end);
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

const start = ({ context: { acts } }: Performing, line: Omit<OperatorAct, keyof ActEnd>) =>
  acts.start(line).catch((cause) => {
    throw new NotCarriedOut("The act could not be recorded", { cause });
  });

const recordEnd = ({ context: { acts } }: Performing, id: string, end: ActEnd | null) =>
  acts.end({ id, end }).catch((cause) => {
    // That its outcome was not written says nothing about the act.
    throw new Error("The outcome of an operator's act could not be recorded", { cause });
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

/** What is said to the operator as it is: the operation is good, and cannot be done. */
export const isRefused = (error: unknown): error is Error =>
  error instanceof AccountError || error instanceof OrderRejected;

/** A person whose account is closed is forgotten, in the lines about acts too. */
const withoutAddresses = (text: string) => text.replaceAll(/[^\s"@]+@[^\s"@]+/g, "(an address)");
