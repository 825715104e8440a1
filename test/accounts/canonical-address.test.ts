import assert from "node:assert/strict";
import { test } from "node:test";
import { emailHashes } from "#accounts/accounts.ts";
import { canonicalAddress } from "#email/canonical-address.ts";
import fc from "../support/properties.ts";

/** Addresses that are one mailbox, each list with its canonical form first. */
const SAME: string[][] = [
  [
    "bob@gmail.com",
    "b.o.b@gmail.com",
    "Bob+1@gmail.com",
    "b.ob+x+y@googlemail.com",
    " BOB@Gmail.com. ",
  ],
  ["bob@example.org", "bob+1@example.org", "BOB@EXAMPLE.ORG", "bob+@example.org"],
  ["b.o.b@example.org", "b.o.b+news@example.org"],
  ["ada@icloud.com", "ada@me.com", "ada+1@mac.com"],
  [
    "adalovelace@proton.me",
    "ada.lovelace@pm.me",
    "ada_lovelace@protonmail.com",
    "ada-lovelace+1@protonmail.ch",
  ],
  ["ada.l@yandex.ru", "ada-l@ya.ru", "ada-l+x@yandex.com"],
  ["ada@yahoo.com", "ada-shop@yahoo.com", "ada-shop-2@yahoo.com"],
  ["ada@yahoo.co.uk", "ada-1@yahoo.co.uk"],
  ["ada@fastmail.com", "shop@ada.fastmail.com", "ada+shop@fastmail.com", "x+1@ada.fastmail.com"],
  ["bob@xn--mnchen-3ya.example", "bob@münchen.example", "bob@MÜNCHEN.example"],
  ["+1@example.org", "+1@example.org"],
];
for (const [canonical = "", ...others] of SAME) {
  test(`${others.join(", ")} count as ${canonical}`, () => {
    for (const address of [canonical, ...others])
      assert.equal(canonicalAddress(address), canonical, address);
  });
}

const DIFFERENT: [string, string][] = [
  ["b.ob@example.org", "bob@example.org"],
  ["bob@outlook.com", "bob@hotmail.com"],
  ["bob@gmail.com", "bob@gmail.org"],
  ["bob-1@example.org", "bob@example.org"],
  ["bob-1@yahoo.co.jp", "bob@yahoo.co.jp"],
  ["ada@fastmail.com", "ada@fastmail.fm"],
  ["shop@ada.example.org", "ada@example.org"],
  ["bob@evilgmail.com", "bob@gmail.com"],
];
for (const [one, other] of DIFFERENT) {
  test(`${one} and ${other} are two people`, () => {
    assert.notEqual(canonicalAddress(one), canonicalAddress(other));
  });
}

test("any text has a canonical form, which is its own", () => {
  const local = fc.string({ unit: "grapheme", maxLength: 12 });
  const domain = fc.oneof(
    fc.constantFrom("gmail.com", "ya.ru", "yahoo.fr", "x.fastmail.com", "pm.me", "münchen.example"),
    fc.string({ unit: "grapheme", maxLength: 12 }),
  );
  fc.assert(
    fc.property(local, domain, (name, host) => {
      const once = canonicalAddress(`${name}@${host}`);
      assert.equal(canonicalAddress(once), once);
    }),
  );
});

test("all addresses of a person have the same hashes, one under each secret", () => {
  const secrets = ["a new secret", "an old secret"];
  const hashes = emailHashes("bob@example.org", secrets);
  assert.equal(new Set(hashes).size, 2);
  assert.deepEqual(emailHashes("bob+1@example.org", secrets), hashes);
});
