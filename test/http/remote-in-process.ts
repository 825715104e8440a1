/** The app in this process over a ledger that takes a round trip to ask. */

import { type CallLedger, CallRates, uncounted } from "#ledger/call-ledger.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";
import { START } from "./fixed-context.ts";
import { type Changes, openInProcess } from "./in-process.ts";
import { createBackstage } from "./ledger-access.ts";
import type { TestServiceSettings } from "./test-api.ts";

export function openRemoteInProcess(settings: TestServiceSettings, changes: Changes = {}) {
  const ledger = createMemoryLedger();
  const rates = new CallRates(settings.rateLimit);
  const remote: CallLedger = {
    isRemote: true,
    isOverRate: () => false,
    debit: (order, isCounted) =>
      isCounted ? uncounted(ledger.debit(order)) : rates.ask("debit", ledger, order, order.now),
    keyStatus: (order) => rates.ask("keyStatus", ledger, order, order.now),
    hold: (order, isCounted) =>
      isCounted ? uncounted(ledger.hold(order)) : rates.ask("hold", ledger, order, order.now),
    settle: ledger.settle,
    release: ledger.release,
    renew: ledger.renew,
  };
  const time = { now: () => START, elapsed: () => 0 };
  return openInProcess(createBackstage(ledger, time, { remote }), settings, changes);
}
