/** Who and what random operations name. Ids are as the service makes them, because a store may read an account out of them. */
import { accountId, keyId, keySha256, sha256 } from "../../contract/ledger/fixture.ts";

/** The last is never opened. */
export const [ADA, BOB, NOBODY] = [accountId("Ada"), accountId("Bob"), accountId("Nobody")];
export const KEYS = ["k0", "k1", "k2"];

/** Each hash is computed once: a run of the rules alone asks for a million of them. */
const hashes = new Map<string, string>();
function hashOf(name: string, hash: () => string): string {
  const known = hashes.get(name) ?? hash();
  hashes.set(name, known);
  return known;
}

export const hashOfText = (text: string) => hashOf(`text ${text}`, () => sha256(text));

export const keyNames = (account: string, key: string) => ({
  id: keyId(account, key),
  sha256: hashOf(`key ${account} ${key}`, () => keySha256(account, key)),
});
