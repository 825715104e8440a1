/** The texts that the helpers of the QR page write, read back from codes and taken apart by rules written here. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeQr, type QrSymbol } from "#tools/qr-code/encode-qr.ts";
import {
  emailText,
  meCardText,
  phoneText,
  urlText,
  vCardText,
  wifiText,
} from "../../web/tools/qr-payloads.ts";
import { enlarge, pictureOf, readWithJsqr, readWithZxing } from "../tools/qr-code/readers.ts";

const HOSTILE = 'a;b,c:d\\e"f é ☕';

/** The text as two readers see it in the code. */
async function readBack(text: string): Promise<string> {
  const pixels = enlarge(pictureOf(encodeQr(text, "M") as QrSymbol), 4);
  const read = await readWithZxing(pixels);
  assert.equal(readWithJsqr(pixels), read);
  assert.equal(read, text);
  return read as string;
}

/** Splits `N:a;P:b;;` at semicolons that are not escaped, and takes the backslashes away. */
const partsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/([A-Z]+):((?:\\.|[^\\;])*);/gs)].map(([, name = "", value = ""]) => [
      name,
      value.replace(/\\(.)/gs, "$1"),
    ]),
  );

test("a Wi-Fi network keeps every character of its name and password", async () => {
  for (const [name, password] of [
    [HOSTILE, '\\;,":'],
    ["guest", "p;T:nopass;"],
    [";;", "::"],
  ] as const) {
    const text = await readBack(wifiText({ name, password, security: "WPA", hidden: true }));
    assert.match(text, /^WIFI:.*;;$/s);
    assert.deepEqual(partsOf(text.slice("WIFI:".length)), {
      ...{ T: "WPA", S: name, P: password, H: "true" },
    });
  }
  const open = wifiText({ name: "cafe", password: "ignored", security: "nopass", hidden: false });
  // Four hex digits: quoted, because readers would take them for bytes.
  assert.equal(open, 'WIFI:T:nopass;S:"cafe";;');
});

const CONTACT = {
  givenName: HOSTILE,
  familyName: "O'Neil; Jr",
  organization: "Ä, B & Co\nLtd",
  phone: "+1 (555) 010-2030",
  email: "a@example.com",
  website: "https://example.com/a?b=c;d",
};

test("a vCard keeps every character, and no value begins a line of its own", async () => {
  const text = await readBack(vCardText({ ...CONTACT, phone: "+1 555\nEMAIL:x@example.com" }));
  const lines = text.split("\r\n");
  assert.deepEqual(lines.slice(0, 2), ["BEGIN:VCARD", "VERSION:3.0"]);
  assert.deepEqual(lines.slice(-2), ["END:VCARD", ""]);
  const value = (name: string) =>
    lines.find((line) => line.startsWith(name))?.slice(name.length + 1) ?? "";
  const readValue = (part: string) =>
    part.replace(/\\(.)/g, (_, char) => (char === "n" ? "\n" : char));
  const [family = "", given = ""] =
    value("N")
      .match(/(?:\\.|[^\\;])*/g)
      ?.filter(Boolean) ?? [];
  assert.deepEqual([readValue(family), readValue(given)], [CONTACT.familyName, CONTACT.givenName]);
  assert.equal(readValue(value("ORG")), CONTACT.organization);
  assert.equal(lines.filter((line) => line.startsWith("EMAIL")).length, 1);
  assert.equal(value("URL"), CONTACT.website);
});

test("a MeCard keeps every character", async () => {
  const text = await readBack(meCardText({ ...CONTACT, organization: "" }));
  const parts = partsOf(text.slice("MECARD:".length));
  assert.equal(parts["N"], `${CONTACT.familyName},${CONTACT.givenName}`);
  assert.equal(parts["URL"], CONTACT.website);
  assert.equal(parts["TEL"], CONTACT.phone);
});

test("emails, phone numbers and URLs are URLs", async () => {
  const email = await readBack(
    emailText({
      to: "a+b@example.com, c@example.com",
      subject: "50 % & more?",
      body: "one\ntwo #3",
    }),
  );
  const url = new URL(email);
  assert.equal(url.pathname, "a%2Bb@example.com,c@example.com");
  // RFC 6068 has no form encoding: a plus is a plus, and a space is %20.
  assert.doesNotMatch(url.search, /\+/);
  assert.equal(url.searchParams.get("subject"), "50 % & more?");
  assert.equal(url.searchParams.get("body"), "one\r\ntwo #3");
  assert.equal(await readBack(phoneText("+1 (555) 010-2030")), "tel:+15550102030");
  assert.equal(phoneText("*100#"), "tel:*100%23");
  for (const [typed, expected] of [
    ["example.com", "https://example.com/"],
    ["http://example.com/a b?c=é", "http://example.com/a%20b?c=%C3%A9"],
    ["  https://bücher.example ", "https://xn--bcher-kva.example/"],
    ["", ""],
  ] as const) {
    assert.equal(urlText(typed), expected);
  }
});
