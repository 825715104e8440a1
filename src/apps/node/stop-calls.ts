import { setTimeout as delay } from "node:timers/promises";
import type { OpenHolds } from "#ledger/call-ledger.ts";
import type { OwnToolThreads } from "./own-tool-threads.ts";
import type { NodeServer } from "./server.ts";

/** How long a stop waits for responses in progress, and for calls whose clients have left. */
const STOP_TIMEOUT_MS = 25_000;
/** How long calls that were ended may take to give back what they hold. */
const RELEASE_TIMEOUT_MS = 2_000;

/**
 * Ends the calls of a server that stops, while its ledger is open: those that have not ended by themselves in time are ended, and give back
 * what they hold. Else it would be held until their leases have run out.
 */
export async function stopCalls(
  server: Pick<NodeServer, "stop">,
  own: Pick<OwnToolThreads, "close">,
  holds: Pick<OpenHolds, "whenNone">,
  timeoutMs = STOP_TIMEOUT_MS,
): Promise<void> {
  const late = delay(timeoutMs, undefined, { ref: false });
  await server.stop(timeoutMs);
  await Promise.race([holds.whenNone(), late]);
  await own.close();
  await Promise.race([holds.whenNone(), delay(RELEASE_TIMEOUT_MS, undefined, { ref: false })]);
}
