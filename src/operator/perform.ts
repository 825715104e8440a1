import { AccountError } from "#accounts/accounts.ts";
import { keyedHash } from "#accounts/keyed-hash.ts";
import type { RandomBytes } from "#ids.ts";
import { NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import type { ActionEnd, OperatorAction } from "./actions.ts";
import type { OperatorContext } from "./context.ts";
import { done, type OpenedFile, type Operation, type Order } from "./operation.ts";

/** Who sends an order, and the network address it comes from. */
export type Operator = Pick<OperatorAction, "by" | "address">;

export type PerformDeps = {
  context: OperatorContext;
  operator: Operator;
  isLocal: boolean;
  now(): number;
  /** The client's id of the order. It sends the same again if it got no response. */
  orderId: string;
  /** Called with every action that ended, for the log, before its outcome is recorded. Contains no key and no email address. */
  onAction?(action: OperatorAction): void;
};

/** What an operation returned: its result, the pieces of a file, and sentences for the operator. */
export type Performed = {
  result: unknown;
  pieces: OpenedFile<unknown>["pieces"] | null;
  messages: string[];
};

/**
 * Runs an operation. An action is recorded as started before it changes anything, and its outcome is recorded before this
 * function returns or throws; if the process dies in between, the record stays `started`.
 */
export async function perform(
  deps: PerformDeps,
  operation: Operation,
  input: unknown,
): Promise<Performed> {
  const { context, now, operator } = deps;
  const messages: string[] = [];
  const order: Order = {
    now: now(),
    random: bytesOf(context.accountDeps.secrets[0] ?? "", operation.name, deps.orderId),
    isLocal: deps.isLocal,
    say: (sentence) => void messages.push(sentence),
  };
  const target: unknown = await operation.find(context, input as never, order);
  const run = async () => {
    const { result, pieces } =
      "open" in operation
        ? await operation.open(context, input as never, order, target)
        : { result: await operation.run(context, input as never, order, target), pieces: null };
    return { result: operation.output.parse(result), pieces };
  };
  const { action } = operation;
  if (action === null) return { ...(await run()), messages };
  const base = {
    at: order.now,
    ...operator,
    action: operation.name,
    subject: action.subject(target),
  };
  const { id } = await context.actions.start(base).catch((cause) => {
    throw new NotCarriedOut("The operator action could not be recorded", { cause });
  });
  const record = async (end: ActionEnd | null) => {
    if (end !== null) deps.onAction?.({ ...base, ...end });
    await context.actions.end({ id, end }).catch((cause) => {
      throw new OutcomeNotRecorded(cause);
    });
  };
  let opened: Awaited<ReturnType<typeof run>>;
  try {
    opened = await run();
  } catch (error) {
    await record(endOfError(error));
    throw error;
  }
  await record(action.end === undefined ? done() : action.end(opened.result, target));
  return { ...opened, messages };
}

/** The same bytes for the same order, which cannot be guessed without the secret (HMAC in counter mode). */
function bytesOf(secret: string, operation: string, orderId: string): RandomBytes {
  let blocks = 0;
  let rest = new Uint8Array();
  return (count) => {
    while (rest.length < count) {
      blocks += 1;
      const block = keyedHash(secret, `toolbooth order ${operation} ${orderId} ${blocks}`);
      rest = Uint8Array.from([...rest, ...block]);
    }
    const bytes = rest.slice(0, count);
    rest = rest.slice(count);
    return bytes;
  };
}

/** Not `NotCarriedOut`: the action itself may have been done. */
class OutcomeNotRecorded extends Error {
  constructor(cause: unknown) {
    const reason = (cause as Error).message ?? cause;
    super(
      `The outcome of the action could not be recorded (${reason}). It may have been carried out: check that before you run the command again.`,
      { cause },
    );
  }
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
