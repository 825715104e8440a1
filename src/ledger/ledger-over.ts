import type { Ledger, LedgerOperation } from "./port.ts";

/** An object, so that the compiler reports an operation that is missing here. */
const OPERATIONS: Record<LedgerOperation, true> = {
  openAccount: true,
  changeAccount: true,
  findAccount: true,
  createKey: true,
  revokeKey: true,
  changeKey: true,
  rotateKey: true,
  listKeys: true,
  grant: true,
  clawback: true,
  credits: true,
  keyStatus: true,
  debit: true,
  reverse: true,
  findCall: true,
  usage: true,
  entries: true,
  maintain: true,
  audit: true,
  probe: true,
};

/** Whether the text, which may come from a newer release, names an operation. */
export const isLedgerOperation = (name: string): name is LedgerOperation =>
  Object.hasOwn(OPERATIONS, name);

/** Creates a ledger that submits every operation through one function: to a thread, a transaction or another process. */
export function ledgerOver(
  submit: (name: LedgerOperation, order: unknown) => Promise<unknown>,
): Ledger {
  const names = Object.keys(OPERATIONS) as LedgerOperation[];
  const entries = names.map((name) => [name, (order: unknown) => submit(name, order)]);
  return Object.fromEntries(entries) as Ledger;
}
