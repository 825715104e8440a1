import { NotCarriedOut } from "#ledger/port.ts";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";

/** The pauses before an order is sent again. */
const PAUSES_MS = [0, 200];

export type Sending = {
  /** Who is asked, for the messages of faults: "The account's ledger". */
  whom: string;
  /** The order names itself, so that sending it twice is sending it once. */
  isRepeatable: boolean;
  /** LEDGER_TIMEOUT_MS, where nothing else is said. */
  timeoutMs?: number;
};

/**
 * Asks an object, by what the platform says of a fault
 * (developers.cloudflare.com/durable-objects/best-practices/error-handling):
 * - `overloaded`: the object has not taken the order, and asking again would only add to its load.
 * - `retryable`: the way to the object or the object itself broke off. It may have taken the order before, so only what is
 *   repeatable is sent again.
 * Any other fault, and an object that does not answer in time, leaves the outcome unknown. The time is that of all tries
 * together. A stub that has failed is not used again, so `send` finds a fresh one each time.
 */
export async function sendToObject<ApiResponse>(
  send: (isAgain: boolean) => Promise<ApiResponse>,
  sending: Sending,
): Promise<ApiResponse> {
  let isLate = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new Error(`${sending.whom} did not answer in time`));
    }, sending.timeoutMs ?? LEDGER_TIMEOUT_MS);
  });
  try {
    return await Promise.race([sendAgain(send, sending, () => isLate), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function sendAgain<ApiResponse>(
  send: (isAgain: boolean) => Promise<ApiResponse>,
  { whom, isRepeatable }: Sending,
  isLate: () => boolean,
): Promise<ApiResponse> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await send(tries > 0);
    } catch (error) {
      const fault = asFault(error, whom);
      // After a first try of unknown outcome a later one cannot say that nothing was changed.
      if (fault instanceof NotCarriedOut && tries > 0)
        throw new Error(fault.message, { cause: error });
      const pauseMs = PAUSES_MS[tries];
      if (!isRepeatable || pauseMs === undefined || !isRetryable(fault) || isLate()) throw fault;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (isLate()) throw fault;
    }
  }
}

const asFault = (error: unknown, whom: string): unknown =>
  (error as { overloaded?: unknown } | undefined)?.overloaded === true
    ? new NotCarriedOut(`${whom} is overloaded`, { cause: error })
    : error;

const isRetryable = (error: unknown) =>
  (error as { retryable?: unknown } | undefined)?.retryable === true;
