/** The app in this process over a ledger that is a journey away. */
import { countCall } from "#credits/count-call.ts";
import type { FarLedger } from "#credits/far-ledger.ts";
import { createThrottle } from "#credits/throttle.ts";
import type { House } from "#http/house.ts";
import { createMemoryLedger } from "#store/memory.ts";
import { createBackstage } from "./backstage.ts";
import type { DoorSettings } from "./door.ts";
import { START } from "./fixed-supply.ts";
import { openInProcess } from "./in-process.ts";

export function openFarInProcess(settings: DoorSettings, more: Partial<House> = {}) {
  const ledger = createMemoryLedger();
  const throttle = createThrottle(settings.rateLimit);
  const uncounted = createThrottle(0);
  const far: FarLedger = {
    debit: (order, isCounted) =>
      countCall(ledger, isCounted ? uncounted : throttle, "debit", order),
    standing: (order) => countCall(ledger, throttle, "standing", order),
  };
  const time = { now: () => START, elapsed: () => 0 };
  return openInProcess(createBackstage(ledger, time, { far }), settings, more);
}
