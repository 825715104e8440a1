/** Opens accounts through a Worker with test access. */
import { createHash, randomBytes } from "node:crypto";
import { keyStart, makeKey } from "#accounts/key-format.ts";
import { accountPart, newAccountId, newKeyId } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { requestLogOfObjects } from "#stores/durable-object/request-log-stub.ts";
import { type BatchResult, ledgerOver, unwrap } from "#stores/ledger/store-ledger.ts";

/** The settings of the API Worker. */
export const EDGE_TEXTS = {
  SECRET: "a secret for the tests of the edge",
  PUBLIC_URL: "https://edge.test",
};

/** Sends each order to the object of its account. */
export const ledgerAt = (base: string): Ledger =>
  ledgerOver(async (name, order) => {
    const object = accountPart((order as { account: string }).account);
    const body = JSON.stringify({ object, name, order });
    const response = await fetch(`${base}/test/perform`, { method: "POST", body });
    return unwrap((await response.json()) as BatchResult);
  });

/** The request logs in the objects of accounts. */
export const requestLogAt = (base: string) =>
  requestLogOfObjects(({ account }) => ({
    async requestLog(name, order) {
      const body = JSON.stringify({ object: accountPart(account), name, order });
      const response = await fetch(`${base}/test/request-log`, { method: "POST", body });
      return (await response.json()) as BatchResult;
    },
  }));

export type EdgeAccount = Awaited<ReturnType<typeof openEdgeAccount>>;

/** Opens a verified account with a key and credits. */
export async function openEdgeAccount(
  { ledger }: { ledger: Ledger },
  credits: number,
  freeCall: "open" | "withheld" = "withheld",
) {
  const [account, now] = [newAccountId(randomBytes), Date.now()];
  await ledger.openAccount({ account, freeCall, now });
  const key = makeKey(account, [EDGE_TEXTS.SECRET], randomBytes);
  const id = newKeyId(account, randomBytes);
  const sha256 = createHash("sha256").update(key).digest("hex");
  await ledger.createKey({ account, id, sha256, start: keyStart(key), label: "edge", now });
  if (credits > 0) {
    const grant = { account, id: "test", kind: "operator" as const, amount: credits };
    await ledger.grant({ ...grant, expiresAt: null, now });
  }
  return { account, key, id, sha256 };
}

/** Opens such an account in one request, for a Worker that counts requests. */
export async function openEdgeAccountAtOnce({ base }: { base: string }, credits: number) {
  const items: [string, unknown][] = [];
  const ledger: Ledger = ledgerOver(async (name, order) => {
    items.push([name, order]);
    return null;
  });
  const opened = await openEdgeAccount({ ledger }, credits);
  const body = JSON.stringify({ object: accountPart(opened.account), items });
  const response = await fetch(`${base}/test/perform-all`, { method: "POST", body });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`The account was not opened: ${response.status}`);
  return opened;
}
