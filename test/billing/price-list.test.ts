/** The price list and its amounts: what is accepted, and every error in one result. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decimalText, isCurrency, priceText, readAmount } from "#billing/money.ts";
import { readPriceList } from "#billing/price-list.ts";
import { addMonths } from "#billing/settle-credits.ts";
import { checkAmount } from "../stripe/accepted.ts";

const read = (list: object) => readPriceList(JSON.stringify(list));
const PACK = { id: "small", name: "Small", credits: 1000, price: "5.00", currency: "eur" };

test("a price list is read with its defaults", () => {
  const lifetime = { name: "Für immer", credits: 50_000, price: "199" };
  const list = {
    currency: "EUR",
    packs: [
      { id: "small", name: "Small", credits: 1000, price: "5.00", months: 6 },
      { id: "l-2", name: "Large", credits: 1, price: "500", currency: "JPY" },
      { id: "ever", name: "Ever", credits: 1e12, price: "999999.99", months: null },
    ],
    lifetime,
    contact: "sales@example.org",
  };
  const offer = { kind: "pack", currency: "eur" } as const;
  assert.deepEqual(read(list), {
    prices: {
      packs: [
        { ...offer, id: "small", name: "Small", credits: 1000, price: 500, months: 6 },
        { ...offer, id: "l-2", name: "Large", credits: 1, price: 500, currency: "jpy", months: 12 },
        { ...offer, id: "ever", name: "Ever", credits: 1e12, price: 99_999_999, months: null },
      ],
      lifetime: {
        ...{ id: "lifetime", kind: "lifetime", name: "Für immer", credits: 50_000 },
        ...{ price: 19_900, currency: "eur", months: null },
      },
      ...{ taxes: "none", contact: "sales@example.org", recommended: "small" },
    },
    problems: [],
  });
  const alone = { lifetime: { ...lifetime, currency: "usd" }, taxes: "automatic" };
  assert.equal(read(alone).prices?.taxes, "automatic");
  assert.deepEqual(readPriceList(`\uFEFF${JSON.stringify(alone)}`).problems, []);
});

test("one offer is recommended: the one that the list names, otherwise the pack in the middle by size", () => {
  const pack = (id: string, credits: number) => ({ ...PACK, id, credits });
  const packs = [pack("c", 9), pack("a", 1), pack("b", 5)];
  const lifetime = { name: "Life", credits: 9, price: "9.00", currency: "eur" };
  const recommendedOf = (list: object) => read(list).prices?.recommended;
  assert.equal(recommendedOf({ packs }), "b");
  assert.equal(recommendedOf({ packs: packs.slice(0, 1) }), null);
  assert.equal(recommendedOf({ packs, recommended: "a" }), "a");
  assert.equal(recommendedOf({ packs, lifetime, recommended: "lifetime" }), "lifetime");
  assert.equal(recommendedOf({ packs, recommended: null }), null);
});

test("all errors are reported together, each with its path and what is expected", () => {
  const { prices, problems } = read({
    currency: "EURO",
    packs: [
      { ...PACK, name: " Small", credits: 1.5, price: "0.10", months: 0, x: 1 },
      { id: "small", name: "", price: 5 },
      { ...PACK, id: "lifetime", price: "1.234", credits: 1e13 },
      3,
    ],
    lifetime: [],
    ...{ tax: 1, taxes: "yes", contact: "nobody" },
  });
  assert.equal(prices, null);
  assert.deepEqual(problems, [
    'currency must be the three letters of a currency that can be paid in, such as eur; got "euro".',
    'packs[0].name must be text of 1 to 60 characters, without line breaks and without spaces at either end; got " Small".',
    "packs[0].credits must be a whole number from 1 to 1000000000000; got 1.5.",
    "packs[0].months must be a whole number from 1 to 120, or null for credits that never expire; got 0.",
    "packs[0].x is not a known member.",
    'packs[1].name must be text of 1 to 60 characters, without line breaks and without spaces at either end; got "".',
    "packs[1].credits is missing: it must be a whole number from 1 to 1000000000000.",
    'packs[1].price must be a decimal number as text, such as "5.00"; got 5.',
    'packs[2].id must be another id: lifetime is the id of the plan; got "lifetime".',
    "packs[2].credits must be a whole number from 1 to 1000000000000; got 10000000000000.",
    "packs[3] must be a pack: an object in braces; got 3.",
    "lifetime must be the lifetime plan: an object in braces, or null; got [].",
    'taxes must be none or automatic; got "yes".',
    'contact must be an email address or a web address, such as sales@example.org; got "nobody".',
    "tax is not a known member.",
    'packs[0].price must be from 0.50 to 999999.99 EUR, the range that Stripe accepts; got "0.10".',
    'packs[1].id repeats packs[0].id, "small": every pack needs its own id.',
    'packs[2].price must be a number with at most 2 digits after the point in EUR; got "1.234".',
  ]);
});

test("text that is not a price list is rejected with a reason", () => {
  const problems: [string, RegExp][] = [
    ["", /^The price list is not valid JSON: /],
    ["{", /^The price list is not valid JSON: /],
    ["[]", /^The price list must be an object in braces; got \[\]\.$/],
    ["null", /^The price list must be an object in braces; got null\.$/],
    ["{}", /^The price list is empty: add packs or a lifetime plan\.$/],
    ['{"packs":[],"lifetime":null}', /is empty: add packs/],
    ['{"packs":{}}', /^packs must be a list of packs in square brackets; got \{\}\.$/],
    [
      JSON.stringify({ packs: [{ ...PACK, currency: undefined }] }),
      /currency is missing: set it here/,
    ],
    [JSON.stringify({ packs: [{ ...PACK, currency: "xyz" }] }), /currency must be/],
    [JSON.stringify({ packs: [{ ...PACK, id: "Small Pack" }] }), /packs\[0\]\.id must be/],
    [JSON.stringify({ packs: [{ ...PACK, name: "a\nb" }] }), /packs\[0\]\.name must be/],
    [
      JSON.stringify({ packs: [PACK], recommended: "lifetime" }),
      /^recommended must be the id of a pack, or lifetime; got "lifetime"\.$/,
    ],
    [JSON.stringify({ packs: [PACK], recommended: 3 }), /^recommended must be the id of a pack/],
    [JSON.stringify({ packs: [PACK], contact: "javascript:alert(1)" }), /contact must be/],
    [JSON.stringify({ packs: [PACK], contact: "mailto:sales@example.org" }), /contact must be/],
    [JSON.stringify({ packs: [PACK], contact: "https:example.org/ask" }), /contact must be/],
    [
      JSON.stringify({ packs: Array.from({ length: 13 }, (_, no) => ({ ...PACK, id: `p${no}` })) }),
      /^packs must be a list of at most 12 packs; got /,
    ],
  ];
  for (const [text, problem] of problems) {
    const { problems: found } = readPriceList(text);
    assert.match(found[0] ?? "", problem, text);
  }
});

const AMOUNTS: [string, string, number | RegExp][] = [
  ["5.00", "eur", 500],
  ["5", "eur", 500],
  ["5.5", "usd", 550],
  ["5.500", "usd", 550],
  ["0.50", "eur", 50],
  ["0.29", "gbp", /^from 0\.30 /],
  ["999999.99", "eur", 99_999_999],
  ["1000000.00", "eur", /^from .* to 999999\.99 EUR/],
  ["500", "jpy", 500],
  ["500.00", "jpy", 500],
  ["500.5", "jpy", /^a whole number/],
  ["49", "jpy", /^from 50 to 99999999 JPY/],
  ["5.12", "kwd", 5120],
  ["5.120", "kwd", 5120],
  ["5.124", "kwd", /at most 2 digits/],
  ["5", "isk", 500],
  ["5.50", "isk", /^a whole number/],
  ["0", "xaf", /^from 1 /],
  ["-5.00", "eur", /^a decimal number/],
  ["5,00", "eur", /^a decimal number/],
  ["1e3", "eur", /^a decimal number/],
  ["", "eur", /^a decimal number/],
  [" 5", "eur", /^a decimal number/],
  [".5", "eur", /^a decimal number/],
  ["5.", "eur", /^a decimal number/],
  ["0x5", "eur", /^a decimal number/],
  ["٥", "eur", /^a decimal number/],
];

test("decimal text is read as Stripe's minor units, or rejected with what is expected", () => {
  for (const [text, currency, expected] of AMOUNTS) {
    const { amount, problem } = readAmount(text, currency);
    if (typeof expected === "number") assert.equal(amount, expected, `${text} ${currency}`);
    else assert.match(problem ?? "", expected, `${text} ${currency}`);
  }
});

test("in every currency Stripe accepts the amounts that we accept, and amounts survive formatting and reading", () => {
  const currencies = Intl.supportedValuesOf("currency").map((code) => code.toLowerCase());
  for (const currency of currencies.filter(isCurrency)) {
    for (const text of ["200", "2000.5", "12345.67", "99999.99", "17500.12"]) {
      const { amount } = readAmount(text, currency);
      if (amount === null) continue;
      checkAmount(amount, currency);
      assert.equal(readAmount(decimalText(amount, currency), currency).amount, amount);
    }
  }
});

test("Ugandan shillings are rejected, because Stripe's documentation contradicts itself about them", () => {
  assert.equal(isCurrency("ugx"), false);
  assert.equal(isCurrency("abc"), false);
  assert.equal(isCurrency("eur"), true);
});

test("prices are formatted for readers", () => {
  const texts: [number, string, string][] = [
    [500, "eur", "€5.00"],
    [19_900, "usd", "$199.00"],
    [500, "jpy", "¥500"],
    [5120, "kwd", "KWD 5.120"],
    [500, "isk", "ISK 5"],
    [99_999_999, "eur", "€999,999.99"],
    [0, "gbp", "£0.00"],
  ];
  for (const [amount, currency, text] of texts) {
    assert.equal(priceText(amount, currency).replaceAll("\u00a0", " "), text);
  }
});

test("months are calendar months in UTC and end with the month", () => {
  const from = (text: string, months: number) =>
    new Date(addMonths(Date.parse(text), months)).toISOString();
  assert.equal(from("2026-01-31T10:20:30.456Z", 1), "2026-02-28T10:20:30.456Z");
  assert.equal(from("2027-12-31T23:59:59.999Z", 2), "2028-02-29T23:59:59.999Z");
  assert.equal(from("2028-02-29T00:00:00.000Z", 12), "2029-02-28T00:00:00.000Z");
  assert.equal(from("2026-10-31T00:00:00.000Z", 13), "2027-11-30T00:00:00.000Z");
  assert.equal(from("2026-11-22T05:00:00.000Z", 120), "2036-11-22T05:00:00.000Z");
});
