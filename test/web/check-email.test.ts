import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { checkEmail } from "../../web/sign-in/check-email.ts";

/** What people type, and what the field says about it: a part of the sentence, or null if the address can be used. */
const ADDRESSES: readonly (readonly [typed: string, sentence: RegExp | null])[] = [
  ["ada@example.com", null],
  [" ada@example.com ", null],
  ["Ada.Lovelace+tools@Mail.Example.co.uk", null],
  ["o'brien_1@example.com", null],
  ["demo@toolbooth.localhost", null],
  ["", /Enter your email address/],
  ["ada", /complete email address/],
  ["ada@", /complete email address/],
  ["@example.com", /complete email address/],
  ["ada@b@example.com", /complete email address/],
  ["ada@example", /“example” is not a complete domain/],
  ["ada@localhost", /“localhost” is not a complete domain/],
  ["ada@example.", /is not a complete domain/],
  ["ada@.com", /is not a complete domain/],
  ["ada@example..com", /is not a complete domain/],
  ["ada@example.c", /is not a complete domain/],
  ["ada@127.0.0.1", /is not a complete domain/],
  ["ada@-example.com", /is not a complete domain/],
  ["ada@exam_ple.com", /is not a complete domain/],
  ["ada@example.com,", /is not a complete domain/],
  ["ada lovelace@example.com", /no spaces/],
  ["ada@example .com", /no spaces/],
  [".ada@example.com", /before the @/],
  ["ada.@example.com", /before the @/],
  ["a..da@example.com", /before the @/],
  ['"ada"@example.com', /before the @/],
  ["<ada@example.com", /before the @/],
  ["müller@example.com", /before the @/],
  [`${"a".repeat(250)}@example.com`, /too long/],
];

test("an address that the service would reject is an error of its field, which names the part", () => {
  for (const [typed, sentence] of ADDRESSES) {
    const error = checkEmail(typed);
    if (sentence === null) assert.equal(error, undefined, typed);
    else assert.match(error ?? "", sentence, typed);
  }
});

test("the field takes exactly the addresses that the service takes, up to their length", () => {
  const isEmail = z.email();
  for (const [typed] of ADDRESSES) {
    const email = typed.trim();
    if (email.length > 254) continue;
    assert.equal(checkEmail(typed) === undefined, isEmail.safeParse(email).success, typed);
  }
});
