import { NotCarriedOut } from "#ledger/port.ts";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { asMissingMethod } from "./rpc.ts";

/** The pauses before an order is sent again. */
const PAUSES_MS = [0, 200];

export type Sending = {
  /** The name of the object in error messages, such as "The account's ledger". */
  target: string;
  /** Whether sending the order twice has the effect of sending it once. */
  isRepeatable: boolean;
  /** The time limit of all attempts together; by default LEDGER_TIMEOUT_MS. */
  timeoutMs?: number;
};

/**
 * Sends an order to a Durable Object, and sends it again after some faults
 * (developers.cloudflare.com/durable-objects/best-practices/error-handling):
 *
 * - `overloaded`: the object did not receive the order. It is not sent again, because that would add to the load.
 * - `retryable`: the connection or the object failed. The object may have carried out the order, so only a repeatable order is
 *   sent again. `durableObjectReset`: the object was started anew, for example with the code of another release; likewise.
 * - An object of another release may lack the method (`rpc.ts`). It carried out nothing.
 *
 * Any other fault and a timeout leave the outcome unknown. A stub that failed must not be used again, so `send` gets a new one each
 * time.
 */
export async function sendToObject<Result>(
  send: (isAgain: boolean) => Promise<Result>,
  sending: Sending,
): Promise<Result> {
  let isLate = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new Error(`${sending.target} did not respond in time`));
    }, sending.timeoutMs ?? LEDGER_TIMEOUT_MS);
  });
  try {
    return await Promise.race([sendWithRetries(send, sending, () => isLate), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function sendWithRetries<Result>(
  send: (isAgain: boolean) => Promise<Result>,
  { target, isRepeatable }: Sending,
  isLate: () => boolean,
): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await send(tries > 0);
    } catch (error) {
      const fault = asFault(error, target);
      // The first attempt may have been carried out, so a later one cannot prove that nothing was changed.
      if (fault instanceof NotCarriedOut && tries > 0)
        throw new Error(fault.message, { cause: error });
      const pauseMs = PAUSES_MS[tries];
      if (!isRepeatable || pauseMs === undefined || !isRetryable(fault) || isLate()) throw fault;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (isLate()) throw fault;
    }
  }
}

const asFault = (error: unknown, target: string): unknown =>
  flagsOf(error).overloaded === true
    ? new NotCarriedOut(`${target} is overloaded`, { cause: error })
    : (asMissingMethod(error) ?? error);

const isRetryable = (error: unknown) =>
  flagsOf(error).retryable === true || flagsOf(error).durableObjectReset === true;

/** The platform sets these on its errors. */
type Flags = { overloaded?: unknown; retryable?: unknown; durableObjectReset?: unknown };
const flagsOf = (error: unknown): Flags => (error as Flags | undefined) ?? {};
