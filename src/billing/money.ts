/**
 * Amounts of money as Stripe counts them: whole numbers of a currency's minor unit. Source: Stripe's documentation,
 * "Supported currencies" (docs.stripe.com/currencies), including its zero-decimal, three-decimal and special currencies.
 */

/** Currencies without a minor unit. */
const ZERO_DECIMAL = new Set(
  "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "),
);
/** Currencies counted in thousandths. Stripe requires the last digit to be 0. */
const THREE_DECIMAL = new Set("bhd jod kwd omr tnd".split(" "));
/** The króna has no fractions any more, but Stripe still counts it in hundredths. */
const WHOLE_IN_HUNDREDTHS = new Set(["isk"]);
/** The documentation contradicts itself on the Ugandan shilling (units or hundredths), so it is not supported. */
const UNSUPPORTED = new Set(["ugx"]);

/** Stripe's smallest charge in minor units. For other currencies the limit depends on the currency of the payout. */
// biome-ignore format: a table
const SMALLEST_CHARGE: Record<string, number> = {
  aed: 200, aud: 50, bgn: 100, brl: 50, cad: 50, chf: 50, czk: 1500, dkk: 250, eur: 50, gbp: 30,
  hkd: 400, huf: 17_500, inr: 50, jpy: 50, mxn: 1000, myr: 200, nok: 300, nzd: 50, pln: 200, ron: 200,
  sek: 300, sgd: 50, thb: 1000, usd: 50,
};
/** Stripe allows eight digits in every currency. */
const LARGEST_CHARGE = 99_999_999;

const CURRENCIES = new Set(Intl.supportedValuesOf("currency").map((code) => code.toLowerCase()));

/** Whether buyers can pay in this currency; `code` is ISO 4217 in lower case. */
export const isCurrency = (code: string) => CURRENCIES.has(code) && !UNSUPPORTED.has(code);

/** Decimal digits of the minor unit in which Stripe counts. */
function countedDigits(currency: string): number {
  if (ZERO_DECIMAL.has(currency)) return 0;
  return THREE_DECIMAL.has(currency) ? 3 : 2;
}

/** Digits after the decimal point that a price may have. */
function pricedDigits(currency: string): number {
  if (THREE_DECIMAL.has(currency)) return 2;
  return WHOLE_IN_HUNDREDTHS.has(currency) ? 0 : countedDigits(currency);
}

/** Parses decimal text such as `5.00` into minor units. `problem` completes the sentence "the price must be …". */
export function readAmount(
  text: string,
  currency: string,
): { amount: number; problem: null } | { amount: null; problem: string } {
  const problem = (must: string) => ({ amount: null, problem: must });
  const code = currency.toUpperCase();
  const [, whole, fraction = ""] = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(text) ?? [];
  if (whole === undefined) return problem('a decimal number as text, such as "5.00"');
  const digits = countedDigits(currency);
  const exact = fraction.replace(/0+$/, "");
  const allowed = pricedDigits(currency);
  if (exact.length > allowed) {
    return problem(
      allowed === 0
        ? `a whole number, because ${code} has no fractions`
        : `a number with at most ${allowed} digits after the point in ${code}`,
    );
  }
  const amount = Number(`${whole}${exact.padEnd(digits, "0")}`);
  const smallest = SMALLEST_CHARGE[currency] ?? 1;
  if (amount < smallest || amount > LARGEST_CHARGE) {
    return problem(
      `from ${decimalText(smallest, currency)} to ${decimalText(LARGEST_CHARGE, currency)} ${code}, the range that Stripe accepts`,
    );
  }
  return { amount, problem: null };
}

/** Formats minor units as decimal text: 500 in `eur` is `5.00`. */
export function decimalText(amount: number, currency: string): string {
  return (amount / 10 ** countedDigits(currency)).toFixed(shownDigits(currency));
}

/** Returns the minor units of decimal text that `decimalText` made. */
export const minorUnitsOf = (text: string, currency: string): number =>
  Math.round(Number(text) * 10 ** countedDigits(currency));

const shownDigits = (currency: string) =>
  WHOLE_IN_HUNDREDTHS.has(currency) ? 0 : countedDigits(currency);

/** Formats minor units for display: `€5.00`, `¥500`. */
export function priceText(amount: number, currency: string): string {
  const digits = shownDigits(currency);
  return new Intl.NumberFormat("en", {
    style: "currency",
    currency: currency.toUpperCase(),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount / 10 ** countedDigits(currency));
}
