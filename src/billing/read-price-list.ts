import * as z from "zod";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { isCurrency, readAmount } from "./money.ts";
import type { Offer, PriceList } from "./price-list.ts";

/** More than a person can compare. */
const PACKS_MAX = 12;
const MONTHS_DEFAULT = 12;
const MONTHS_MAX = 120;
const NAME_CHARS_MAX = 60;
const CONTACT_CHARS_MAX = 254;

/** Completes "must be …". */
const must = (what: string) => ({ error: what });

const CURRENCY = z
  .string(must("the three letters of a currency, such as eur"))
  .transform((code) => code.toLowerCase())
  .refine(isCurrency, must("the three letters of a currency that can be paid in, such as eur"));
/** Read with its currency, later. */
const PRICE = z.string(must('a decimal number as text, such as "5.00"'));
const NAME = z
  .string(must(`text of 1 to ${NAME_CHARS_MAX} characters`))
  .regex(
    new RegExp(`^(?=\\S)[^\\p{Cc}]{1,${NAME_CHARS_MAX}}(?<=\\S)$`, "u"),
    must(`text of 1 to ${NAME_CHARS_MAX} characters, without line breaks and spaces at its ends`),
  );
const whole = (max: number, orNull = "") => {
  const fault = must(`a whole number from 1 to ${max}${orNull}`);
  return z.int(fault).min(1, fault).max(max, fault);
};
const CREDITS = whole(GRANT_CREDITS_MAX);
const MONTHS = whole(MONTHS_MAX, ", or null for credits that never expire").nullable();
const ID = z
  .string(must("text such as small"))
  .regex(/^[a-z0-9-]{1,40}$/, must("1 to 40 small letters, digits and hyphens, such as small"))
  .refine((id) => id !== "lifetime", must("another word: lifetime is the name of the plan"));
const CONTACT = z
  .string(must("an e-mail address or a web address"))
  .max(CONTACT_CHARS_MAX, must(`at most ${CONTACT_CHARS_MAX} characters long`))
  .refine(
    (text) => /^[^\s@<>"]+@[^\s@<>"]+$/.test(text) || isWebAddress(text),
    must("an e-mail address or a web address, such as sales@example.org"),
  );

const isWebAddress = (text: string) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "") && !/[\s"<>]/.test(text);

const PACK = z.strictObject(
  {
    id: ID,
    name: NAME,
    credits: CREDITS,
    price: PRICE,
    currency: CURRENCY.optional(),
    months: MONTHS.default(MONTHS_DEFAULT),
  },
  must("a pack: an object in braces"),
);
const LIFETIME = z.strictObject(
  { name: NAME, credits: CREDITS, price: PRICE, currency: CURRENCY.optional() },
  must("the lifetime plan: an object in braces, or null"),
);
const FILE = z.strictObject(
  {
    currency: CURRENCY.optional(),
    packs: z
      .array(PACK, must("a list of packs in square brackets"))
      .max(PACKS_MAX, must(`a list of at most ${PACKS_MAX} packs`))
      .default([]),
    lifetime: LIFETIME.nullable().default(null),
    taxes: z.enum(["none", "automatic"], must("none or automatic")).default("none"),
    contact: CONTACT.nullable().default(null),
  },
  must("an object in braces"),
);

type Read = { prices: PriceList; faults: [] } | { prices: null; faults: string[] };

/** The price list of a JSON text; faults are whole sentences, all of them, each with the place in the file. */
export function readPriceList(text: string): Read {
  let given: unknown;
  try {
    // A byte order mark is what some editors put there.
    given = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { prices: null, faults: [`The price list is not JSON: ${reason}.`] };
  }
  const shaped = FILE.safeParse(given, { reportInput: true });
  const faults = (shaped.error?.issues ?? []).flatMap(sentencesOf);
  faults.push(...faultsAcross(given));
  if (!shaped.success || faults.length > 0) return { prices: null, faults };
  const { packs, lifetime, currency, taxes, contact } = shaped.data;
  const offerOf = (read: Omit<Offer, "price" | "currency"> & Priced): Offer => {
    const { price, ...offer } = read;
    const own = read.currency ?? currency ?? "";
    return { ...offer, price: readAmount(price, own).amount ?? 0, currency: own };
  };
  return {
    prices: {
      packs: packs.map((pack) => offerOf({ ...pack, kind: "pack" })),
      lifetime:
        lifetime === null
          ? null
          : offerOf({ ...lifetime, id: "lifetime", kind: "lifetime", months: null }),
      ...{ taxes, contact },
    },
    faults: [],
  };
}

type Priced = { price: string; currency?: string | undefined };

/** `packs[0].price`, or what the file is called as a whole. */
const placeOf = (path: readonly PropertyKey[]) =>
  path.reduce<string>((place, step) => {
    if (typeof step === "number") return `${place}[${step}]`;
    return place === "" ? String(step) : `${place}.${String(step)}`;
  }, "") || "The price list";

function sentencesOf(issue: z.core.$ZodIssue): string[] {
  const place = placeOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${placeOf([...issue.path, key])} is not known here.`);
  }
  if (issue.input === undefined) return [`${place} is missing: it must be ${issue.message}.`];
  return [`${place} must be ${issue.message}; got ${shown(issue.input)}.`];
}

/** What was found there, cut where it is long. */
function shown(input: unknown): string {
  const text = JSON.stringify(input) ?? String(input);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** What concerns more than one member, told beside faults of other members: so it is read from what was given. */
function faultsAcross(given: unknown): string[] {
  if (!isRecord(given)) return [];
  const packs = Array.isArray(given["packs"]) ? given["packs"] : [];
  const ids = new Map<unknown, string>();
  const faults: string[] = [];
  for (const [index, pack] of packs.entries()) {
    if (!isRecord(pack)) continue;
    const place = `packs[${index}]`;
    faults.push(...priceFaults(place, pack, given["currency"]));
    const first = ids.get(pack["id"]);
    if (first === undefined) ids.set(pack["id"], `${place}.id`);
    else if (typeof pack["id"] === "string") {
      faults.push(`${place}.id is ${shown(pack["id"])} as ${first} is: each needs its own.`);
    }
  }
  if (isRecord(given["lifetime"])) {
    faults.push(...priceFaults("lifetime", given["lifetime"], given["currency"]));
  } else if (packs.length === 0) {
    faults.push("The price list offers nothing: it needs packs, or a lifetime plan.");
  }
  return faults;
}

function priceFaults(
  place: string,
  { price, currency }: Record<string, unknown>,
  usual: unknown,
): string[] {
  const given = currency ?? usual;
  if (given === undefined) {
    return [`${place}.currency is missing: give it here, or as currency for all of them.`];
  }
  const code = CURRENCY.safeParse(given).data;
  if (code === undefined || typeof price !== "string") return [];
  const { fault } = readAmount(price, code);
  return fault === null ? [] : [`${place}.price must be ${fault}; got ${shown(price)}.`];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
