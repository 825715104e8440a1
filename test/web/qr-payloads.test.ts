/** The texts that the helpers of the QR page write, read back from codes and taken apart by rules written here. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeQr, type QrSymbol } from "#tools/qr-code/encode-qr.ts";
import {
  amountFault,
  bicFault,
  type CreditTransfer,
  ibanFault,
  lengthFault,
  purposeFault,
  referenceFault,
  TRANSFER_SETTINGS,
  transferFaults,
  transferText,
} from "../../web/tools/qr-credit-transfer.ts";
import {
  counterFault,
  nameFault,
  type OneTimePassword,
  oneTimePasswordText,
  periodFault,
  secretFault,
} from "../../web/tools/qr-one-time-password.ts";
import {
  degreesFault,
  emailText,
  geoText,
  meCardText,
  metersFault,
  networkNameFault,
  numberFault,
  phoneFault,
  phoneText,
  recipientsFault,
  smsText,
  urlFault,
  urlText,
  vCardText,
  wifiText,
  wpaPasswordFault,
} from "../../web/tools/qr-payloads.ts";
import { enlarge, pictureOf, readWithJsqr, readWithZxing } from "../tools/qr-code/readers.ts";

const HOSTILE = 'a;b,c:d\\e"f é ☕';

/** The text as two readers see it in the code. */
async function readBack(text: string, eci: "auto" | "never" = "auto"): Promise<string> {
  const pixels = enlarge(pictureOf(encodeQr(text, "M", eci) as QrSymbol), 4);
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
    ["localhost:3000/a", "https://localhost:3000/a"],
    // With `https://` before it, an address would be a user name and a password.
    ["mailto:ada@example.com", "mailto:ada@example.com"],
    ["tel:110", "tel:110"],
    ["", ""],
  ] as const) {
    assert.equal(urlText(typed), expected);
  }
});

test("what is half typed in a form, or mistyped, is not encoded", () => {
  const cases: [(text: string) => string | undefined, right: string[], wrong: string[]][] = [
    [urlFault, ["example.com", "mailto:a@b.example"], ["https://", "exa mple.com", "http://[::1"]],
    // IEEE 802.11: a name has at most 32 bytes.
    [networkNameFault, ["é".repeat(16), " "], ["é".repeat(17), "x".repeat(33)]],
    // WPA: 8 to 63 characters, or the key in hex.
    [
      wpaPasswordFault,
      ["x".repeat(8), "x".repeat(63), "0aF9".repeat(16)],
      ["x".repeat(7), "x".repeat(64)],
    ],
    [recipientsFault, ["a@b", "a@example.com, b@example.com"], ["a", "@b", "a@b,", "a b@c"]],
    [phoneFault, ["*100#", "+1 (555) 010-2030", "555,,12"], ["0800 CALL NOW", "#", "1+2"]],
  ];
  for (const [fault, right, wrong] of cases) {
    for (const text of right) assert.equal(fault(text), undefined, text);
    for (const text of wrong) assert.match(fault(text) ?? "", /^[A-Z].*\.$/, text);
  }
});

const TRANSFER: CreditTransfer = {
  ...{ name: "Wikimedia Fördergesellschaft", iban: "DE33 1002 0500 0001 1947 00", bic: "" },
  ...{
    amount: "20",
    purpose: "",
    reference: "",
    text: "Spende, danke; 100 % & mehr",
    information: "",
  },
};

/** EPC069-12, version 3.1, section 3: the elements, one in each line. */
const TRANSFERS: { transfer: Partial<CreditTransfer>; lines: string[] }[] = [
  {
    transfer: {},
    lines: ["", "Wikimedia Fördergesellschaft", "DE33100205000001194700", "EUR20.00"].concat(
      ...["", "", "Spende, danke; 100 % & mehr"],
    ),
  },
  // The elements after the last one with content are left out, and so is a line end after it.
  {
    transfer: { name: " Anna\nMüller ", iban: "nl91abna0417164300", amount: "", text: "" },
    lines: ["", "Anna Müller", "NL91ABNA0417164300"],
  },
  {
    transfer: {
      ...{ bic: "bhbl deff xxx", amount: "1250,5", purpose: "char", text: "" },
      ...{ reference: "RF18 5390 0754 7034", information: "Thanks" },
    },
    lines: ["BHBLDEFFXXX", "Wikimedia Fördergesellschaft", "DE33100205000001194700"].concat(
      ...["EUR1250.50", "CHAR", "RF18539007547034", "", "Thanks"],
    ),
  },
];

test("a SEPA transfer has the elements of EPC069-12, at level M in at most version 13", async () => {
  const { errorCorrectionLevel, eci } = TRANSFER_SETTINGS;
  assert.equal(errorCorrectionLevel, "M");
  for (const { transfer, lines } of TRANSFERS) {
    const text = await readBack(transferText({ ...TRANSFER, ...transfer }), eci);
    assert.deepEqual(text.split("\n"), ["BCD", "002", "1", "SCT", ...lines]);
    assert.deepEqual(transferFaults({ ...TRANSFER, ...transfer }), {});
  }
  // 331 bytes are as many as a byte segment of 13-M holds (table 7).
  const filled = { ...TRANSFER, name: "ä".repeat(70), text: "ö".repeat(62), information: "" };
  const rest = 331 - new TextEncoder().encode(transferText(filled)).length;
  const most = { ...filled, text: filled.text + "x".repeat(rest) };
  assert.equal(new TextEncoder().encode(transferText(most)).length, 331);
  assert.deepEqual(transferFaults(most), {});
  assert.ok((encodeQr(transferText(most), "M", eci)?.version ?? 99) <= 13);
  assert.equal(await readBack(transferText(most), eci), transferText(most));
  assert.match(
    transferFaults({ ...most, text: `${most.text}x` })["text"] ?? "",
    /331 bytes; this has 332/,
  );
  assert.match(
    transferFaults({ ...TRANSFER, reference: "RF18539007547034" })["text"] ?? "",
    /not both/,
  );
});

test("a one-time password is a URL that apps read", async () => {
  const otp: OneTimePassword = {
    ...{ type: "totp", issuer: "Example & Söhne", account: "ada lovelace@example.com" },
    ...{
      secret: "jbsw y3dp-ehpk 3pxp====",
      algorithm: "SHA1",
      digits: "6",
      period: "",
      counter: "",
    },
  };
  const short = new URL(await readBack(oneTimePasswordText(otp)));
  // Key URI format: the label is the issuer and the account, and defaults need not be there.
  assert.equal(
    short.href.split("?")[0],
    "otpauth://totp/Example%20%26%20S%C3%B6hne:ada%20lovelace%40example.com",
  );
  assert.deepEqual(Object.fromEntries(short.searchParams), {
    ...{ secret: "JBSWY3DPEHPK3PXP", issuer: "Example & Söhne" },
  });
  assert.doesNotMatch(short.search, /\+/);
  const long = await readBack(
    oneTimePasswordText({ ...otp, issuer: "", algorithm: "SHA256", digits: "8", period: "60" }),
  );
  assert.equal(
    long,
    "otpauth://totp/ada%20lovelace%40example.com?secret=JBSWY3DPEHPK3PXP&algorithm=SHA256&digits=8&period=60",
  );
  const counted = { ...otp, type: "hotp", issuer: "", period: "60" } as const;
  for (const [counter, expected] of [
    ["", "0"],
    ["007", "7"],
  ] as const) {
    const url = new URL(await readBack(oneTimePasswordText({ ...counted, counter })));
    assert.deepEqual([url.host, url.searchParams.get("counter")], ["hotp", expected]);
    assert.equal(url.searchParams.has("period"), false);
  }
});

test("places are geo URLs, and messages keep every character", async () => {
  // RFC 5870, section 3.4 and its examples.
  for (const [latitude, longitude, altitude, expected] of [
    ["48.2010", "16.3695", "183", "geo:48.2010,16.3695,183"],
    ["-33,8568", " 151.2153 ", "", "geo:-33.8568,151.2153"],
    ["+052.5", "-0", "", "geo:52.5,0"],
    ["90°", "−180", "-12.50", "geo:90,-180,-12.50"],
  ] as const) {
    assert.equal(await readBack(geoText({ latitude, longitude, altitude })), expected);
  }
  for (const [number, message, expected] of [
    ["+49 (30) 123-4567", HOSTILE, `SMSTO:+49301234567:${HOSTILE}`],
    ["12345", "", "SMSTO:12345"],
    ["12345", "a: b\n?&", "SMSTO:12345:a: b\n?&"],
  ] as const) {
    assert.equal(await readBack(smsText({ number, message })), expected);
  }
});

type Check = (text: string) => string | undefined;
/** `wrong`: what the fault says, and the texts that have it. */
type Rule = { check: Check; right: string[]; wrong: [says: RegExp, ...texts: string[]][] };
const CHECKS: Record<string, Rule> = {
  "an IBAN": {
    check: ibanFault,
    // The examples of the SWIFT registry, release 99.
    right: ["DE89370400440532013000", "no93 8601 1117 947", "MT84MALT011000012345MTLCAST001S"],
    wrong: [
      [/mistyped/, "DE89370400440532013001", "DE98370400440532013000"],
      [/15 to 34 characters; this has 12/, "DE8937040044"],
      [/code of a country/, "89370400440532013000"],
      [/not “-”/, "DE89-3704-0044"],
    ],
  },
  "a BIC": {
    check: bicFault,
    right: ["COBADEFFXXX", "deutdeff", "BHBL DE FF"],
    wrong: [[/8 or 11/, "COBADEFFXX", "COBA1EFF"]],
  },
  "an amount": {
    check: amountFault,
    right: ["0.01", "12", "12,5", "€ 3.20", "999999999.99", "5 EUR"],
    wrong: [
      [/from 0.01/, "0", "0.00", "1000000000"],
      [/in digits/, "1.234,50", "-5", "five"],
      [/at most two/, "1.005"],
    ],
  },
  "a reference": {
    check: referenceFault,
    // ISO 11649, its example.
    right: ["RF18539007547034", "rf18 5390 0754 7034", "RFA123", "210000000003139471430009017"],
    wrong: [
      [/mistyped/, "RF18539007547035"],
      [/up to 35/, "x".repeat(36), "ä"],
    ],
  },
  "a purpose": {
    check: purposeFault,
    right: ["CHAR", "salä".slice(0, 3)],
    wrong: [[/up to 4/, "CHARI"]],
  },
  "a name of a recipient": {
    check: lengthFault(70),
    right: ["😀".repeat(70), ` ${"a".repeat(70)} `],
    wrong: [[/At most 70 characters; this has 71/, "a".repeat(71)]],
  },
  "a secret": {
    check: secretFault,
    right: ["JBSWY3DPEHPK3PXP", "jbsw y3dp ehpk 3pxp", "MY======"].concat(
      "gezdgnbvgy3tqojqgezdgnbvgy3tqojq",
    ),
    wrong: [
      [/look like O, I and B; this has “0”/, "JBSWY3DP0"],
      [/this has “Ä”/, "JBSWY3DPä"],
      [/9 characters/, "JBSWY3DPA"],
      [/0 characters/, "===="],
    ],
  },
  "an account": { check: nameFault, right: ["ada@example.com"], wrong: [[/colon/, "a:b"]] },
  "a period": {
    check: periodFault,
    right: ["30", "1", "3600"],
    wrong: [
      [/from 1/, "0"],
      [/whole number/, "30s", "1.5"],
    ],
  },
  "a counter": { check: counterFault, right: ["0", "42"], wrong: [[/whole number/, "-1"]] },
  "a latitude": {
    check: degreesFault(90),
    right: ["90", "-90", "52,5163", "0.000001"],
    wrong: [
      [/-90 to 90/, "90.1"],
      [/decimal number/, "52° 30' N", "1e2", "52.5, 13.4"],
    ],
  },
  "a longitude": { check: degreesFault(180), right: ["-180"], wrong: [[/west is/, "181"]] },
  "an altitude": { check: metersFault, right: ["-12.5"], wrong: [[/of meters/, "12 m"]] },
  "a phone number": {
    check: numberFault,
    right: ["+49 30 1234567", "12345", "(555) 010-2030"],
    wrong: [[/in digits/, "call me", "49+30", "+"]],
  },
};

for (const [name, { check, right, wrong }] of Object.entries(CHECKS)) {
  test(`${name} is judged as its specification says, in words that help`, () => {
    for (const text of right) assert.equal(check(text), undefined, text);
    for (const [says, ...texts] of wrong) {
      for (const text of texts) assert.match(check(text) ?? "", says, text);
    }
  });
}
