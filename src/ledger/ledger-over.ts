import type { Ledger, LedgerOperation, LedgerOperations } from "./port.ts";

type Submit = <Name extends LedgerOperation>(
  name: Name,
  order: LedgerOperations[Name][0],
) => Promise<LedgerOperations[Name][1]>;

/** Creates a ledger that submits every operation through one function: to a thread, a transaction or another process. */
export function ledgerOver(
  submit: (name: LedgerOperation, order: unknown) => Promise<unknown>,
): Ledger {
  const send = submit as Submit;
  return {
    openAccount: (order) => send("openAccount", order),
    changeAccount: (order) => send("changeAccount", order),
    findAccount: (order) => send("findAccount", order),
    createKey: (order) => send("createKey", order),
    changeKey: (order) => send("changeKey", order),
    rotateKey: (order) => send("rotateKey", order),
    revokeKey: (order) => send("revokeKey", order),
    listKeys: (order) => send("listKeys", order),
    grant: (order) => send("grant", order),
    clawback: (order) => send("clawback", order),
    credits: (order) => send("credits", order),
    keyStatus: (order) => send("keyStatus", order),
    debit: (order) => send("debit", order),
    hold: (order) => send("hold", order),
    settle: (order) => send("settle", order),
    release: (order) => send("release", order),
    renew: (order) => send("renew", order),
    expireHolds: (order) => send("expireHolds", order),
    reverse: (order) => send("reverse", order),
    findCall: (order) => send("findCall", order),
    usage: (order) => send("usage", order),
    entries: (order) => send("entries", order),
    maintain: (order) => send("maintain", order),
    audit: (order) => send("audit", order),
    probe: (order) => send("probe", order),
  };
}

const OPERATIONS = ledgerOver(() => Promise.reject(new Error("This ledger has only names")));

/** Whether the text, which may come from a newer release, names an operation. */
export const isLedgerOperation = (name: string): name is LedgerOperation =>
  Object.hasOwn(OPERATIONS, name);
