import { hash, randomBytes } from "node:crypto";
import path from "node:path";

/** Accounts, keys and orders of a checkout's ledger, without a server. The functions are that checkout's own. */
export type Order = { account: string; [field: string]: unknown };
export type Perform = (name: string, order: Order) => Promise<unknown>;
export type Account = { account: string; key: string; sha256: string };

/** More than a run can spend. */
export const CREDITS = 1_000_000_000;
const random = (bytes: number) => new Uint8Array(randomBytes(bytes));

/** Imports a file of the checkout in `root`. `Module` is the type of the same file here. */
export const importFrom = <Module>(root: string, file: string): Promise<Module> =>
  import(path.join(root, file)) as Promise<Module>;

/** Opens accounts with a key and credits each. */
export async function openAccounts(
  root: string,
  count: number,
  secret: string,
  perform: Perform,
): Promise<Account[]> {
  const ids = await importFrom<typeof import("#ids.ts")>(root, "src/ids.ts");
  const keys = await importFrom<typeof import("#accounts/key-format.ts")>(
    root,
    "src/accounts/key-format.ts",
  );
  const accounts: Account[] = [];
  for (let i = 0; i < count; i += 1) {
    const account = ids.newAccountId(random);
    const key = keys.makeKey(account, [secret], random);
    const [now, start, sha256] = [Date.now(), keys.keyStart(key), hash("sha256", key)];
    await perform("openAccount", { account, freeCall: "withheld", now });
    await perform("grant", {
      ...{ account, id: "bench", kind: "operator", amount: CREDITS },
      ...{ expiresAt: null, now },
    });
    const id = ids.newKeyId(account, random);
    await perform("createKey", { account, id, sha256, start, label: "bench", limits: null, now });
    accounts.push({ account, key, sha256 });
  }
  return accounts;
}

let calls = 0;

export const debitOf = ({ account, sha256 }: Account) => ({
  account,
  keySha256: sha256,
  callId: `call_${(calls++).toString(36).padStart(16, "0")}`,
  tool: "hash",
  credits: 1,
  freeCallCredits: 0,
  now: Date.now(),
  idempotency: null,
});

export const objectOf = (account: string): string => account.slice("acc_".length);
