import * as z from "zod";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import type { CreditSales } from "#top-up.ts";
import { isCurrency, readAmount } from "./money.ts";

/** Something that is sold: a pack of credits, or the lifetime plan. */
export type Offer = {
  /** Its id in the file, such as `small`; `lifetime` for the plan. */
  id: string;
  kind: "pack" | "lifetime";
  /** Display name. */
  name: string;
  credits: number;
  /** In minor units of the currency, as the payment provider counts; the file has decimal text. */
  price: number;
  /** ISO 4217, in lower case. */
  currency: string;
  /** Calendar months until the credits expire; null: never. */
  months: number | null;
};

/** The operator's price list, read from one JSON file. */
export type PriceList = {
  packs: readonly Offer[];
  lifetime: Offer | null;
  /** Whether the provider adds taxes according to the buyer's address. */
  taxes: "none" | "automatic";
  /** Where buyers ask questions: an email address or a web address; null where the file names none. */
  contact: string | null;
  /** The id of the offer that pages mark; null: none. */
  recommended: string | null;
};

/**
 * How credits are sold with this price list. `payable`: whether a payment provider is configured; `contact`: that of the service, for a
 * price list without one.
 */
export const salesOf = (
  prices: PriceList | null,
  payable: boolean,
  contact: string | null,
): CreditSales => ({
  payable: prices !== null && payable,
  contact: prices?.contact ?? contact,
});

export const offersOf = ({ packs, lifetime }: PriceList): readonly Offer[] =>
  lifetime === null ? packs : [...packs, lifetime];

/** More than a user can compare. */
const PACKS_MAX = 12;
const MONTHS_DEFAULT = 12;
const MONTHS_MAX = 120;
const NAME_CHARS_MAX = 60;
const CONTACT_CHARS_MAX = 254;

/** An error message that completes the sentence "<path> must be …". */
const must = (what: string) => ({ error: what });

const CURRENCY = z
  .string(must("the three letters of a currency, such as eur"))
  .transform((code) => code.toLowerCase())
  .refine(isCurrency, must("the three letters of a currency that can be paid in, such as eur"));
/** Parsed later, together with its currency. */
const PRICE = z.string(must('a decimal number as text, such as "5.00"'));
const NAME = z
  .string(must(`text of 1 to ${NAME_CHARS_MAX} characters`))
  .regex(
    new RegExp(`^(?=\\S)[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]{1,${NAME_CHARS_MAX}}(?<=\\S)$`, "u"),
    must(
      `text of 1 to ${NAME_CHARS_MAX} characters, without line breaks and without spaces at either end`,
    ),
  );
const whole = (max: number, orNull = "") => {
  const error = must(`a whole number from 1 to ${max}${orNull}`);
  return z.int(error).min(1, error).max(max, error);
};
const CREDITS = whole(GRANT_CREDITS_MAX);
const MONTHS = whole(MONTHS_MAX, ", or null for credits that never expire").nullable();
const ID = z
  .string(must("text such as small"))
  .regex(/^[a-z0-9-]{1,40}$/, must("1 to 40 lowercase letters, digits and hyphens, such as small"))
  .refine((id) => id !== "lifetime", must("another id: lifetime is the id of the plan"));
const CONTACT = z
  .string(must("an email address or a web address"))
  .max(CONTACT_CHARS_MAX, must(`at most ${CONTACT_CHARS_MAX} characters long`))
  .refine(
    // As TOOLBOOTH_CONTACT: `mailto:` would be there twice in a link.
    (text) => /^[^\s:/@<>"]+@[^\s:/@<>"]+$/.test(text) || isWebAddress(text),
    must("an email address or a web address, such as sales@example.org"),
  );

/** Without the slashes, a browser would take it for a path of the page. */
const isWebAddress = (text: string) => /^https?:\/\/[^\s"<>]+$/i.test(text) && URL.canParse(text);

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
    recommended: z.string(must("the id of a pack, or lifetime")).nullable().optional(),
  },
  must("an object in braces"),
);

/**
 * Parses the JSON text of a price list. `problems` lists every problem as a sentence that names the path in the file.
 */
export function readPriceList(
  text: string,
): { prices: PriceList; problems: [] } | { prices: null; problems: string[] } {
  let input: unknown;
  try {
    // Some editors write a byte order mark.
    input = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { prices: null, problems: [`The price list is not valid JSON: ${reason}.`] };
  }
  const shaped = FILE.safeParse(input, { reportInput: true });
  const problems = (shaped.error?.issues ?? []).flatMap(sentencesOf);
  problems.push(...checkAcrossMembers(input));
  if (!shaped.success || problems.length > 0) return { prices: null, problems };
  const { packs, lifetime, currency, taxes, contact, recommended } = shaped.data;
  const offerOf = (written: Omit<Offer, "price" | "currency"> & WrittenPrice): Offer => {
    const { price, ...offer } = written;
    const offerCurrency = written.currency ?? currency ?? "";
    return {
      ...offer,
      price: readAmount(price, offerCurrency).amount ?? 0,
      currency: offerCurrency,
    };
  };
  return {
    prices: {
      packs: packs.map((pack) => offerOf({ ...pack, kind: "pack" })),
      lifetime:
        lifetime === null
          ? null
          : offerOf({ ...lifetime, id: "lifetime", kind: "lifetime", months: null }),
      taxes,
      contact,
      recommended: recommended === undefined ? middleOf(packs) : recommended,
    },
    problems: [],
  };
}

/** Left out, the pack in the middle by its size is recommended: most customers know neither how little nor how much they need. */
const middleOf = (packs: readonly { id: string; credits: number }[]): string | null =>
  packs.length < 2
    ? null
    : (packs.toSorted((one, other) => one.credits - other.credits)[packs.length >> 1]?.id ?? null);

type WrittenPrice = { price: string; currency?: string | undefined };

/** A path such as `packs[0].price`; "The price list" for the whole file. */
const pathText = (path: readonly PropertyKey[]) =>
  path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? String(step) : `${text}.${String(step)}`;
  }, "") || "The price list";

function sentencesOf(issue: z.core.$ZodIssue): string[] {
  const path = pathText(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${pathText([...issue.path, key])} is not a known member.`);
  }
  if (issue.input === undefined) return [`${path} is missing: it must be ${issue.message}.`];
  return [`${path} must be ${issue.message}; got ${excerptOf(issue.input)}.`];
}

/** The value as JSON, cut to 60 characters. */
function excerptOf(input: unknown): string {
  const text = JSON.stringify(input) ?? String(input);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/**
 * Checks rules that concern several members. It reads the raw input, so that its findings are reported together with those of
 * the schema.
 */
function checkAcrossMembers(input: unknown): string[] {
  if (!isRecord(input)) return [];
  const packs = Array.isArray(input["packs"]) ? input["packs"] : [];
  const ids = new Map<unknown, string>();
  const problems: string[] = [];
  for (const [index, pack] of packs.entries()) {
    if (!isRecord(pack)) continue;
    const path = `packs[${index}]`;
    problems.push(...checkPrice(path, pack, input["currency"]));
    const first = ids.get(pack["id"]);
    if (first === undefined) ids.set(pack["id"], `${path}.id`);
    else if (typeof pack["id"] === "string") {
      problems.push(
        `${path}.id repeats ${first}, ${excerptOf(pack["id"])}: every pack needs its own id.`,
      );
    }
  }
  const { recommended = null } = input;
  const isLifetime = recommended === "lifetime" && isRecord(input["lifetime"]);
  if (typeof recommended === "string" && !ids.has(recommended) && !isLifetime) {
    problems.push(
      `recommended must be the id of a pack, or lifetime; got ${excerptOf(recommended)}.`,
    );
  }
  if (isRecord(input["lifetime"])) {
    problems.push(...checkPrice("lifetime", input["lifetime"], input["currency"]));
  } else if (packs.length === 0) {
    problems.push("The price list is empty: add packs or a lifetime plan.");
  }
  return problems;
}

function checkPrice(
  path: string,
  { price, currency }: { price?: unknown; currency?: unknown },
  defaultCurrency: unknown,
): string[] {
  const written = currency ?? defaultCurrency;
  if (written === undefined) {
    return [`${path}.currency is missing: set it here, or set currency for the whole list.`];
  }
  const code = CURRENCY.safeParse(written).data;
  if (code === undefined || typeof price !== "string") return [];
  const { problem } = readAmount(price, code);
  return problem === null ? [] : [`${path}.price must be ${problem}; got ${excerptOf(price)}.`];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
