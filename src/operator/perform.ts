import { AccountError } from "#accounts/people.ts";
import { NotCarriedOut, OrderRefused } from "#ledger/port.ts";
import type { OperatorAct } from "./acts.ts";
import type { OperatorContext } from "./context.ts";
import type { Act } from "./operation.ts";
import { type OperationName, operationOf } from "./operations.ts";

/** Who asks, and whence. */
export type Operator = Pick<OperatorAct, "by" | "address">;

export type Performing = {
  context: OperatorContext;
  operator: Operator;
  now(): number;
  /** Called with every act before it is recorded, for a log. Never a key, never an email address. */
  onAct?(act: OperatorAct): void;
};

/**
 * Runs an operation. One that changes something leaves a line among the acts before its outcome is given, also where it
 * is refused or broke off; of an act that comes in parts, the first and the last.
 */
export async function perform(
  { context, operator, now, onAct }: Performing,
  name: OperationName,
  input: unknown,
): Promise<unknown> {
  const row = operationOf(name);
  const { act } = row;
  if (act === null) return row.run(context, input);
  let outcome = "unknown: it broke off";
  let hasLine = true;
  try {
    const result = await row.run(context, input);
    hasLine = act.isPart?.(input) !== true && act.hasChanged?.(result) !== false;
    outcome = outcomeOf(act, input, result);
    return result;
  } catch (error) {
    if (isRefused(error)) outcome = `refused: ${withoutAddresses(error.message)}`;
    if (error instanceof NotCarriedOut) outcome = "not carried out";
    throw error;
  } finally {
    if (hasLine) {
      const line = { at: now(), ...operator, act: name, subject: act.subject(input), outcome };
      onAct?.(line);
      await record(context, line);
    }
  }
}

async function record({ acts }: OperatorContext, act: OperatorAct): Promise<void> {
  await acts.record(act).catch((cause) => {
    // That the line was not carried out says nothing about the act.
    throw new Error("The line of an operator's act could not be kept", { cause });
  });
}

const outcomeOf = (act: Act<unknown, unknown>, input: unknown, result: unknown): string =>
  act.outcome?.(input, result) ??
  ((result as { found?: boolean } | null)?.found === false ? "not found" : "done");

/** What is said to the operator as it is: the operation is good, and cannot be done. */
export const isRefused = (error: unknown): error is Error =>
  error instanceof AccountError || error instanceof OrderRefused;

/** A person whose account is closed is forgotten, in the lines about acts too. */
const withoutAddresses = (text: string) => text.replaceAll(/[^\s"@]+@[^\s"@]+/g, "(an address)");
