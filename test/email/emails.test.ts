import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { EventKind } from "#accounts/activity-log.ts";
import {
  keyFacts,
  originFacts,
  rotationFacts,
  SECURITY_EMAILS,
  type SecurityEvent,
  securityEmail,
  securitySummary,
} from "#accounts/security-emails.ts";
import { formatTime } from "#email/email-layout.ts";
import { createEmails, durationText } from "#email/emails.ts";
import { type Email, isPlainAddress, oneLine } from "#email/mail.ts";
import { accentOf, contrast } from "#site/accent.ts";
import { anyCodeUnits } from "../support/arbitraries.ts";
import fc from "../support/properties.ts";

const SITE = "https://toolbooth.example/tools";
const SENDER = { publicUrl: SITE, name: "Toolbooth" };
const emails = createEmails(SENDER);
const NOW = Date.UTC(2026, 10, 21, 14, 5);
const HOUR = 3_600_000;
const TO = "ada@example.org";
const LINK = "https://toolbooth.example/tools/sign-in/link#abc&more=1";
const FROM = { at: NOW, address: "192.0.2.7", browser: "Firefox on Linux" };
const code = {
  ...{ to: TO, code: "12345678", now: NOW, expiresAt: NOW + HOUR },
  origin: originFacts(FROM),
};
const link = { link: LINK, now: NOW, expiresAt: NOW + HOUR };
/** The email about an event, from the one table of them. */
function about(kind: EventKind, change: Partial<SecurityEvent> = {}): Email {
  const email = securityEmail(SENDER, TO, { ...FROM, kind, detail: null, ...change });
  assert.ok(email, kind);
  return email;
}
const key = { detail: "Laptop", facts: keyFacts({ start: "tb_AbCd" }) };

const KEY_KINDS = ["key_created", "key_revoked"];
const CODES = {
  signUpCode: emails.signInCode({ ...code, kind: "sign_up_code", link: LINK }),
  signInCode: emails.signInCode({ ...code, kind: "sign_in_code", link: LINK }),
  knownSignInCode: emails.signInCode({ ...code, kind: "known_sign_in_code", link: LINK }),
  newAddressCode: emails.newAddressCode(code),
};
/** To the old address: its link undoes the change. */
const MOVED = emails.addressChanged({
  to: TO,
  origin: originFacts(FROM),
  newAddress: "new@example.org",
  undo: link,
});
const EVENTS = {
  addressInUse: emails.addressInUse({ to: TO }),
  passwordsRetired: emails.passwordsRetired({ to: TO }),
  keyCreated: about("key_created", key),
  keyRevoked: about("key_revoked", key),
  accountClosed: emails.accountClosed({ to: TO, at: NOW }),
};
/** Every other entry of the table. */
const SECURITY = Object.fromEntries(
  Object.keys(SECURITY_EMAILS)
    .filter((kind) => !KEY_KINDS.includes(kind))
    .map((kind) => [kind, about(kind as EventKind)]),
);
const ALL = Object.entries({ ...CODES, addressChanged: MOVED, ...EVENTS, ...SECURITY });

type Page = {
  body: { textContent: string };
  links: Iterable<{ href: string }>;
  querySelector(selector: string): { href?: string; textContent: string } | null;
  querySelectorAll(selector: string): { length: number };
};

// jsdom has no types of its own.
const { JSDOM } = createRequire(import.meta.url)("jsdom") as {
  JSDOM: new (html: string) => { window: { document: Page } };
};
const bodyOf = ({ html }: Email) => new JSDOM(html).window.document;

test("every email has a short subject and a kind, and says why it was sent, in text and in HTML", () => {
  assert.equal(new Set(ALL.map(([, { kind }]) => kind)).size, ALL.length);
  for (const [name, email] of ALL) {
    assert.equal(email.to, TO, name);
    assert.match(email.subject, /^[\x20-\x7e]{10,50}$/, name);
    for (const text of [email.text, bodyOf(email).body.textContent])
      assert.match(text, /You received this email because /, name);
  }
});

test("emails have the operator's colour, which can be read in both schemes, and name the contact", () => {
  for (const [colour, contact, href] of [
    ["#ffe14d", "help@acme.test", "mailto:help@acme.test"],
    ["#1b1b6b", "https://acme.test/help?a=1&b=2", "https://acme.test/help?a=1&b=2"],
  ] as const) {
    const accent = accentOf(colour);
    const { text, html } = createEmails({ ...SENDER, accent, contact }).accountClosed({
      ...{ to: TO, at: NOW },
    });
    assert.ok(text.endsWith(`Toolbooth, ${SITE}\nContact: ${contact}\n`));
    const links = [...bodyOf({ html } as Email).links].map((link) => link.href);
    assert.ok(links.includes(href), href);
    const colours: string[] = html.match(/#[0-9a-f]{6}/g) ?? [];
    assert.ok(colours.includes(accent.light.accent) && colours.includes(accent.dark.accent));
    assert.ok(!colours.includes("#0a5f58") && !colours.includes("#63cdbb"));
    const [, ground = ""] = /background:(#\w+);color:/.exec(html) ?? [];
    const [, darkGround = ""] = /background:(#\w+)!important;color:#e2/.exec(html) ?? [];
    const pairs = [
      [accent.light.accent, ground],
      [accent.light.accent, "#ffffff"],
      [accent.dark.accent, darkGround],
      [accent.dark.accent, "#0d1917"],
    ] as const;
    for (const [first, second] of pairs)
      assert.ok(contrast(first, second) >= 4.5, `${first} on ${second}`);
  }
});

test("an email with a code shows it on a line of its own, in two groups, says when it expires, and to give it to nobody", () => {
  for (const [name, email] of Object.entries(CODES)) {
    assert.ok(email.text.split("\n").includes("Code: 1234 5678"), name);
    assert.doesNotMatch(email.subject, /\d/, "a subject is shown on locked screens");
    assert.match(email.text, /expires in 1 hour, on November 21, 2026 at 15:05 UTC\./, name);
    assert.match(email.text, /Never give this code to anyone/, name);
    // So that codes which two browsers asked for can be told apart.
    assert.match(email.text, /^IP address: 192\.0\.2\.7\nBrowser: Firefox on Linux$/m, name);
    assert.equal(email.usefulUntil, NOW + HOUR, name);
  }
});

test("an email with a link shows it on its own line and as a button", () => {
  const { newAddressCode: _, ...linked } = CODES;
  for (const [name, email] of Object.entries({ ...linked, addressChanged: MOVED })) {
    assert.ok(email.text.split("\n").includes(LINK), name);
    assert.match(email.text, /expires in 1 hour/, name);
    assert.equal(bodyOf(email).querySelector("a.button")?.href, LINK, name);
  }
});

test("a notification has no secret link and does not expire", () => {
  for (const [name, email] of Object.entries(EVENTS)) {
    assert.equal(email.usefulUntil, null, name);
    assert.doesNotMatch(email.text + email.html, /link#/, name);
  }
});

test("an email that the recipient may not have requested says that they can ignore it", () => {
  for (const { text } of Object.values(CODES)) assert.match(text, /you can ignore this email/);
  assert.match(
    EVENTS.addressInUse.text,
    /Your account has not changed\.[\s\S]*you can ignore this email/,
  );
});

test("an email about a key has its label, its start, the time and a link to the API keys page", () => {
  for (const { text } of [EVENTS.keyCreated, EVENTS.keyRevoked]) {
    for (const line of [
      "Label: Laptop",
      "Starts with: tb_AbCd",
      "Date: November 21, 2026 at 14:05 UTC",
      `${SITE}/settings/api-keys`,
    ])
      assert.ok(text.split("\n").includes(line), line);
  }
});

test("every email about an event says what happened, when, from where, and what to do if it was not you", () => {
  for (const kind of Object.keys(SECURITY_EMAILS) as EventKind[]) {
    const { text, otherwise, detail, page } = SECURITY_EMAILS[kind] ?? assert.fail(kind);
    const given = "a detail";
    const email = about(kind, { detail: given });
    const lines = email.text.split("\n");
    for (const line of [
      ...[text, otherwise],
      "Date: November 21, 2026 at 14:05 UTC",
      "IP address: 192.0.2.7",
      "Browser: Firefox on Linux",
    ])
      assert.ok(lines.includes(line), `${kind}: ${line}`);
    assert.equal(lines.includes(`${detail}: a detail`), detail !== undefined, kind);
    assert.equal(lines.filter((line) => line.startsWith(SITE)).length, 1, "one link");
    assert.match(otherwise, /^(?:If (?:it wasn't you|you didn't)|Sign in).*:$/, kind);
    assert.ok(bodyOf(email).querySelector("a.button")?.href?.startsWith(`${SITE}/`), page);
    assert.equal(email.unsubscribe, undefined, "nobody can turn it off");
    const summary = securitySummary(SENDER, TO, { ...FROM, kind, detail: given });
    assert.match(summary?.text ?? "", /happened again[\s\S]*IP address: 192\.0\.2\.7/, kind);
  }
  assert.equal(securityEmail(SENDER, TO, { ...FROM, kind: "signed_in", detail: null }), null);
});

test("an email about what the operator did names the operator and no network", () => {
  const { text } = about("key_created", { ...key, address: null, browser: null, byOperator: true });
  assert.match(text, /^By: The operator of this service$/m);
  assert.doesNotMatch(text, /IP address|Browser/);
});

test("the email to a new address does not contain the old one", () => {
  const { text, html } = CODES.newAddressCode;
  assert.doesNotMatch(text.replaceAll(TO, "") + html, /example\.org/);
});

test("an HTML email fetches nothing, has no tables and supports dark mode", () => {
  for (const [name, email] of ALL) {
    assert.doesNotMatch(email.html, /<(?:img|script|link|table|iframe)|url\(|@import| src=/, name);
    assert.match(email.html, /prefers-color-scheme:dark/, name);
    const { links } = bodyOf(email);
    for (const { href } of links) assert.ok(href.startsWith(SITE));
  }
});

test("a link that is not an http or https URL throws a TypeError", () => {
  for (const bad of ["javascript:alert(1)", "https://a b", "https://a\r\nBcc: x", 'https://a"', ""])
    assert.throws(
      () => emails.signInCode({ ...code, kind: "sign_in_code", link: bad }),
      TypeError,
      bad,
    );
});

/** Hostile input: markup, line breaks, bidirectional controls, lone surrogates. */
const HOSTILE = [
  "\r\nBcc: eve@example.org",
  "<script>",
  "</dd>",
  '"',
  "'",
  "&amp;",
  "\u202e",
  "\u2028",
];
const hostile = fc
  .array(fc.oneof(anyCodeUnits(10), fc.constantFrom(...HOSTILE, "\ud800", "\0")))
  .map((parts) => parts.join(""));

test("the email about a rotation says until when the old secret works", () => {
  const about = (previousUntil: number | null) =>
    rotationFacts({ start: "tb_AbCd", previousUntil }, 1_000)[1];
  assert.deepEqual(about(null), ["Old secret", "No longer works"]);
  assert.deepEqual(about(1_000), ["Old secret", "No longer works"]);
  const until = Date.UTC(2026, 10, 24, 9);
  assert.deepEqual(about(until), ["Old secret", `Works until ${formatTime(until)}`]);
});

test("any label or address becomes one line of text and never markup", () => {
  const plain = bodyOf(EVENTS.keyCreated).querySelectorAll("*").length;
  fc.assert(
    fc.property(hostile, hostile, (label, start) => {
      const email = about("key_created", { detail: label, facts: keyFacts({ start }) });
      const page = bodyOf(email);
      assert.equal(page.querySelectorAll("*").length, plain);
      assert.equal(page.querySelector("bdi")?.textContent, oneLine(label, 254));
      assert.equal(email.text.split("\n").length, EVENTS.keyCreated.text.split("\n").length);
      assert.equal(email.subject, EVENTS.keyCreated.subject);
      assert.ok(email.text.isWellFormed() && email.html.isWellFormed());
    }),
    { numRuns: 50 },
  );
});

test("oneLine removes line breaks, control characters and bidirectional controls, and limits the length", () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, most) => {
      const line = oneLine(text, most);
      assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      assert.ok([...line].length <= most && line.isWellFormed() && line === line.trim());
      assert.equal(oneLine(line, most), line);
    }),
  );
  for (const [input, output] of [
    ["a\r\nb", "a b"],
    ["\u202egnp.exe", "gnp.exe"],
    ["schön 🐝 مفتاح", "schön 🐝 مفتاح"],
    ["👩‍🚀", "👩‍🚀"],
    ["x".repeat(300), `${"x".repeat(99)}…`],
  ] as const)
    assert.equal(oneLine(input, 100), output);
});

test("isPlainAddress rejects text that could be more than one address", () => {
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

test("durationText uses a readable unit and never overstates the duration", () => {
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
    assert.equal(durationText(ms), text);
});
