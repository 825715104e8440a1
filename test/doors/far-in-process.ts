/** The app in this process over a ledger that is a journey away. */

import type { AppContext } from "#http/app-context.ts";
import { countCall } from "#ledger/count-call.ts";
import type { FarLedger } from "#ledger/far-ledger.ts";
import { createThrottle } from "#ledger/throttle.ts";
import { createMemoryLedger } from "#stores/memory/memory.ts";
import { createBackstage } from "./backstage.ts";
import type { DoorSettings } from "./door.ts";
import { START } from "./fixed-supply.ts";
import { openInProcess } from "./in-process.ts";

export function openFarInProcess(settings: DoorSettings, more: Partial<AppContext> = {}) {
  const ledger = createMemoryLedger();
  const throttle = createThrottle(settings.rateLimit);
  const uncounted = createThrottle(0);
  const far: FarLedger = {
    debit: (order, isCounted) =>
      countCall(ledger, isCounted ? uncounted : throttle, "debit", order),
    keyStatus: (order) => countCall(ledger, throttle, "keyStatus", order),
  };
  const time = { now: () => START, elapsed: () => 0 };
  return openInProcess(createBackstage(ledger, time, { far }), settings, more);
}
