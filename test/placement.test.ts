/** What an account's id says about where the account lives. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { accountOfKey, isWellFormedKey, makeKey } from "#accounts/key-format.ts";
import { accountOfUser } from "#accounts/welcome.ts";
import { accountOfKeyId, isAccountId, newAccountId, newKeyId } from "#ids.ts";
import {
  atLocation,
  inJurisdiction,
  JURISDICTIONS,
  LOCATIONS,
  NO_PLACEMENT,
  placementCode,
  placementNamed,
  placementOf,
} from "#placement.ts";

const PLACEMENTS = [
  NO_PLACEMENT,
  ...LOCATIONS.map(atLocation),
  ...JURISDICTIONS.map(inJurisdiction),
];

test("the codes in ids keep their meaning for ever", () => {
  assert.deepEqual(
    PLACEMENTS.map((each) => [placementCode(each), each.location ?? each.jurisdiction]),
    [
      ...[
        ["0", null],
        ["a", "wnam"],
        ["b", "enam"],
        ["c", "sam"],
        ["d", "weur"],
        ["e", "eeur"],
      ],
      ...[
        ["f", "apac"],
        ["g", "oc"],
        ["h", "afr"],
        ["i", "me"],
      ],
      ...[
        ["E", "eu"],
        ["F", "fedramp"],
        ["U", "us"],
      ],
    ],
  );
});

test("an id, the ids of its keys and the keys themselves lead to the same place", () => {
  const secrets = ["a secret of a test"];
  for (const placement of PLACEMENTS) {
    const account = newAccountId(randomBytes, placementCode(placement));
    assert.ok(isAccountId(account), account);
    assert.deepEqual(placementOf(account), placement);
    const key = makeKey(account, secrets, randomBytes);
    assert.ok(isWellFormedKey(key), key);
    assert.equal(accountOfKey(key, secrets), account);
    assert.equal(accountOfKeyId(newKeyId(account, randomBytes)), account);
    assert.deepEqual(placementOf(accountOfUser("user", placement)), placement);
  }
  assert.deepEqual(placementOf(newAccountId(randomBytes)), NO_PLACEMENT);
  assert.deepEqual(placementOf(accountOfUser("user")), NO_PLACEMENT);
});

test("an unknown code in upper case is a jurisdiction of a newer version; other unknown codes are hints", () => {
  for (const code of "ABDGZ")
    assert.equal(placementOf(newAccountId(randomBytes, code)), null, code);
  for (const code of "19jz")
    assert.equal(placementOf(newAccountId(randomBytes, code)), NO_PLACEMENT);
});

test("a user's account is the same but for its place", () => {
  const ids = PLACEMENTS.map((each) => accountOfUser("user", each));
  assert.equal(new Set(ids).size, PLACEMENTS.length);
  assert.equal(new Set(ids.map((id) => id.slice(0, -1))).size, 1);
  assert.notEqual(accountOfUser("other").slice(0, -1), accountOfUser("user").slice(0, -1));
});

test("a jurisdiction wins over a location, and an unknown name counts as none", () => {
  assert.deepEqual(placementNamed("weur", "eu"), inJurisdiction("eu"));
  assert.deepEqual(placementNamed("weur", ""), atLocation("weur"));
  for (const wrong of [undefined, "", "WEUR", "toString", 1, null]) {
    assert.deepEqual(placementNamed(wrong, wrong), NO_PLACEMENT, String(wrong));
  }
});
