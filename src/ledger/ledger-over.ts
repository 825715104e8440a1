import type { Ledger, LedgerOperation } from "./port.ts";

const OPERATION_NAMES: readonly LedgerOperation[] = [
  "openAccount",
  "suspendAccount",
  "resumeAccount",
  "closeAccount",
  "findAccount",
  "createKey",
  "revokeKey",
  "relabelKey",
  "listKeys",
  "grant",
  "clawback",
  "credits",
  "keyStatus",
  "debit",
  "reverse",
  "usage",
  "recentCalls",
  "entries",
  "setLowBalance",
  "recordExpiries",
  "listEvents",
  "deleteEvents",
  "maintain",
  "audit",
  "probe",
];

/** A ledger whose operations all go one way: to a thread, over a transaction, to another process. */
export function ledgerOver(
  submit: (name: LedgerOperation, order: unknown) => Promise<unknown>,
): Ledger {
  const entries = OPERATION_NAMES.map((name) => [name, (order: unknown) => submit(name, order)]);
  return Object.fromEntries(entries) as Ledger;
}
