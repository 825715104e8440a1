import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import {
  accountOfKey,
  isStartUnder,
  isWellFormedKey,
  keyPattern,
  keyStart,
  makeKey,
} from "#accounts/key-format.ts";
import { newAccountId } from "#ids.ts";

const SECRETS = ["a secret of good length"];
const account = newAccountId(randomBytes);
const PREFIXES = ["tb_", "acme_", "ab_", "abcdefgh_"];

test("a key of any prefix names its account, whatever prefix the service has now", () => {
  for (const prefix of PREFIXES) {
    const key = makeKey(account, SECRETS, randomBytes, prefix);
    assert.match(key, new RegExp(`^${keyPattern(prefix)}$`));
    assert.ok(isWellFormedKey(key));
    assert.equal(accountOfKey(key, SECRETS), account);
    assert.equal(accountOfKey(key, ["another secret"]), undefined);
    assert.ok(isStartUnder(keyStart(key), SECRETS));
    assert.ok(keyStart(key).startsWith(prefix));
    assert.equal(keyStart(key).length, prefix.length + 22);
  }
});

test("the checksum covers the prefix, so a key does not work under another one", () => {
  const key = makeKey(account, SECRETS, randomBytes, "acme_");
  for (const wrong of [key.replace("acme_", "acne_"), key.replace("acme_", "tb_"), key.slice(1)]) {
    assert.equal(isWellFormedKey(wrong), false);
    assert.equal(accountOfKey(wrong, SECRETS), undefined);
  }
  const body = key.slice("acme_".length);
  for (const prefix of ["a_", "abcdefghi_", "Acme_", "acme-", ""]) {
    assert.equal(isWellFormedKey(prefix + body), false, prefix);
  }
});
