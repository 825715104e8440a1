import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import { createEmails, spanText } from "#email/emails.ts";
import type { Email } from "#email/mail.ts";
import { isPlainAddress, oneLine } from "#email/one-line.ts";

const SITE = "https://toolbooth.example/tools";
const emails = createEmails(SITE);
const NOW = Date.UTC(2026, 10, 21, 14, 5);
const HOUR = 3_600_000;
const TO = "ada@example.org";
const LINK = "https://toolbooth.example/tools/verify-email?token=abc&more=1";
const link = { to: TO, link: LINK, now: NOW, expiresAt: NOW + HOUR };
const key = { to: TO, label: "Laptop", start: "tb_AbCd", at: NOW };

const LINKED = {
  verifyAddress: emails.verifyAddress(link),
  resetPassword: emails.resetPassword(link),
  confirmAddressChange: emails.confirmAddressChange({ ...link, newAddress: "new@example.org" }),
  verifyNewAddress: emails.verifyNewAddress(link),
};
const EVENTS = {
  addressInUse: emails.addressInUse({ to: TO }),
  addressChanged: emails.addressChanged({ to: TO, at: NOW, newAddress: "new@example.org" }),
  passwordChanged: emails.passwordChanged({ to: TO, at: NOW }),
  keyCreated: emails.keyCreated(key),
  keyRevoked: emails.keyRevoked(key),
  accountClosed: emails.accountClosed({ to: TO, at: NOW }),
};
const ALL = Object.entries({ ...LINKED, ...EVENTS });

type Page = {
  body: { textContent: string };
  links: Iterable<{ href: string }>;
  querySelector(selector: string): { href?: string; textContent: string } | null;
  querySelectorAll(selector: string): { length: number };
};

// jsdom comes without types, and what is required has none.
const { JSDOM } = createRequire(import.meta.url)("jsdom") as {
  JSDOM: new (html: string) => { window: { document: Page } };
};
const bodyOf = ({ html }: Email) => new JSDOM(html).window.document;

test("every letter has a short subject, a kind, and says why it was sent, in text and in HTML", () => {
  assert.equal(new Set(ALL.map(([, { kind }]) => kind)).size, ALL.length);
  for (const [name, email] of ALL) {
    assert.equal(email.to, TO, name);
    assert.match(email.subject, /^[\x20-\x7e]{10,50}$/, name);
    for (const text of [email.text, bodyOf(email).body.textContent])
      assert.match(text, /You get this letter.* because /, name);
  }
});

test("a letter with a link has it on a line of its own, as a button, and says until when it works", () => {
  for (const [name, email] of Object.entries(LINKED)) {
    assert.ok(email.text.split("\n").includes(LINK), name);
    assert.match(email.text, /works for 1 hour, until 2026-11-21 15:05 UTC\./, name);
    assert.equal(email.usefulUntil, NOW + HOUR, name);
    assert.equal(bodyOf(email).querySelector("a.button")?.href, LINK, name);
  }
});

test("a notice has no secret link and stays useful", () => {
  for (const [name, email] of Object.entries(EVENTS)) {
    assert.equal(email.usefulUntil, null, name);
    assert.doesNotMatch(email.text + email.html, /token/, name);
  }
});

test("letters that nobody may have asked for say that they can be ignored", () => {
  for (const name of ["verifyAddress", "resetPassword", "verifyNewAddress"] as const)
    assert.match(LINKED[name].text, /you can ignore this letter/);
  assert.match(EVENTS.addressInUse.text, /Nothing was changed\.[\s\S]*you can ignore it/);
});

test("a notice of a key names its label, its start and the time, and leads to the keys", () => {
  for (const { text } of [EVENTS.keyCreated, EVENTS.keyRevoked]) {
    for (const line of [
      "Label: Laptop",
      "Starts with: tb_AbCd",
      "When: 2026-11-21 14:05 UTC",
      `${SITE}/settings/api-keys`,
    ])
      assert.ok(text.split("\n").includes(line), line);
  }
});

test("the letter to a new address does not name the old one", () => {
  const { text, html } = LINKED.verifyNewAddress;
  assert.doesNotMatch(text.replaceAll(TO, "") + html, /example\.org/);
});

test("HTML letters fetch nothing, have no tables, and follow the dark", () => {
  for (const [name, email] of ALL) {
    assert.doesNotMatch(email.html, /<(?:img|script|link|table|iframe)|url\(|@import| src=/, name);
    assert.match(email.html, /prefers-color-scheme:dark/, name);
    const { links } = bodyOf(email);
    for (const { href } of links) assert.ok(href.startsWith(SITE));
  }
});

test("a link that is no http address is a fault of the service", () => {
  for (const bad of ["javascript:alert(1)", "https://a b", "https://a\r\nBcc: x", 'https://a"', ""])
    assert.throws(() => emails.verifyAddress({ ...link, link: bad }), TypeError, bad);
});

/** What people type at their worst: markup, line ends, marks of direction, lone surrogates. */
const NASTY = [
  "\r\nBcc: eve@example.org",
  "<script>",
  "</dd>",
  '"',
  "'",
  "&amp;",
  "\u202e",
  "\u2028",
];
const nasty = fc
  .array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...NASTY, "\ud800", "\0")))
  .map((parts) => parts.join(""));

test("whatever a label or an address holds, it is one line of text and never markup", () => {
  const plain = bodyOf(EVENTS.keyCreated).querySelectorAll("*").length;
  fc.assert(
    fc.property(nasty, nasty, (label, start) => {
      const email = emails.keyCreated({ ...key, label, start });
      const page = bodyOf(email);
      assert.equal(page.querySelectorAll("*").length, plain);
      assert.equal(page.querySelector("bdi")?.textContent, oneLine(label, 100));
      assert.equal(email.text.split("\n").length, EVENTS.keyCreated.text.split("\n").length);
      assert.equal(email.subject, EVENTS.keyCreated.subject);
      assert.ok(email.text.isWellFormed() && email.html.isWellFormed());
    }),
    { numRuns: 50 },
  );
});

test("one line has no line ends, control characters or marks of direction, and keeps its length", () => {
  fc.assert(
    fc.property(nasty, fc.integer({ min: 1, max: 40 }), (text, most) => {
      const line = oneLine(text, most);
      assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      assert.ok([...line].length <= most && line.isWellFormed() && line === line.trim());
      assert.equal(oneLine(line, most), line);
    }),
  );
  for (const [given, shown] of [
    ["a\r\nb", "a b"],
    ["\u202egnp.exe", "gnp.exe"],
    ["schön 🐝 مفتاح", "schön 🐝 مفتاح"],
    ["👩‍🚀", "👩‍🚀"],
    ["x".repeat(300), `${"x".repeat(99)}…`],
  ] as const)
    assert.equal(oneLine(given, 100), shown);
});

test("an address that could be more than one address is not plain", () => {
  for (const good of ["ada@example.org", "o'hara+x@sub.example.org", "jürgen@exämple.org", "a@b"])
    assert.ok(isPlainAddress(good), good);
  for (const bad of [
    "",
    "ada",
    "@example.org",
    "ada@",
    "a@b@c",
    "a b@c",
    "ada@example.org\r\nBcc: eve@example.org",
    "Ada <ada@example.org>",
    "ada@example.org,eve@example.org",
    '"a"@example.org',
    "a\u202e@example.org",
    "a\u200b@example.org",
    "a\0@example.org",
    `${"a".repeat(250)}@b.cd`,
  ])
    assert.ok(!isPlainAddress(bad), bad);
});

test("a span is told in a unit that people use, never longer than it is", () => {
  for (const [ms, text] of [
    [HOUR, "1 hour"],
    [1.5 * HOUR, "90 minutes"],
    [24 * HOUR, "1 day"],
    [23 * HOUR + 59, "23 hours"],
    [72 * HOUR, "3 days"],
    [15 * 60_000, "15 minutes"],
    [60_000, "1 minute"],
    [0, "1 minute"],
  ] as const)
    assert.equal(spanText(ms), text);
});
