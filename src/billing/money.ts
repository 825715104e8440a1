/**
 * Amounts of money as the payment provider counts them: whole numbers of a currency's minor unit. Source: Stripe's
 * documentation, "Supported currencies" (docs.stripe.com/currencies), with its zero-decimal, three-decimal and special ones.
 */

/** Their amounts are whole units. */
const ZERO_DECIMAL = new Set(
  "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "),
);
/** Thousandths; the last digit must be 0, because of Stripe's partners. */
const THREE_DECIMAL = new Set("bhd jod kwd omr tnd".split(" "));
/** The króna has no fractions any more, but is counted in hundredths as before. */
const WHOLE_IN_HUNDREDTHS = new Set(["isk"]);
/** Of the Ugandan shilling the documentation says both that it is counted in units and in hundredths: nobody should guess. */
const UNCLEAR = new Set(["ugx"]);

/** The least that Stripe takes, in minor units; of others it is the worth of the one that the operator is paid in. */
const LEAST: Record<string, number> = {
  ...{ aed: 200, aud: 50, bgn: 100, brl: 50, cad: 50, chf: 50, czk: 1500, dkk: 250, eur: 50 },
  ...{ gbp: 30, hkd: 400, huf: 17_500, inr: 50, jpy: 50, mxn: 1000, myr: 200, nok: 300, nzd: 50 },
  ...{ pln: 200, ron: 200, sek: 300, sgd: 50, thb: 1000, usd: 50 },
};
/** Eight digits, whatever the currency. */
const AMOUNT_MAX = 99_999_999;

const CURRENCIES = new Set(Intl.supportedValuesOf("currency").map((code) => code.toLowerCase()));

/** Whether it is the code of a currency that can be paid in; in small letters. */
export const isCurrency = (code: string) => CURRENCIES.has(code) && !UNCLEAR.has(code);

function countedDigits(currency: string): number {
  if (ZERO_DECIMAL.has(currency)) return 0;
  return THREE_DECIMAL.has(currency) ? 3 : 2;
}

/** Digits after the point that a price may have. */
function pricedDigits(currency: string): number {
  if (THREE_DECIMAL.has(currency)) return 2;
  return WHOLE_IN_HUNDREDTHS.has(currency) ? 0 : countedDigits(currency);
}

/** The minor units of a decimal text such as `5.00`, or what is wrong with it, to be read after "must be". */
export function readAmount(
  text: string,
  currency: string,
): { amount: number; fault: null } | { amount: null; fault: string } {
  const fault = (must: string) => ({ amount: null, fault: must });
  const code = currency.toUpperCase();
  const [, whole, fraction = ""] = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(text) ?? [];
  if (whole === undefined) return fault('a decimal number as text, such as "5.00"');
  const digits = countedDigits(currency);
  const exact = fraction.replace(/0+$/, "");
  const allowed = pricedDigits(currency);
  if (exact.length > allowed) {
    return fault(
      allowed === 0
        ? `a whole number, because ${code} is paid without fractions`
        : `a number with at most ${allowed} digits after the point in ${code}`,
    );
  }
  const amount = Number(`${whole}${exact.padEnd(digits, "0")}`);
  const least = LEAST[currency] ?? 1;
  if (amount < least || amount > AMOUNT_MAX) {
    return fault(
      `from ${decimalText(least, currency)} to ${decimalText(AMOUNT_MAX, currency)} ${code}, the least and the most that Stripe takes`,
    );
  }
  return { amount, fault: null };
}

/** `500` of euros is `5.00`. */
export function decimalText(amount: number, currency: string): string {
  return (amount / 10 ** countedDigits(currency)).toFixed(shownDigits(currency));
}

const shownDigits = (currency: string) =>
  WHOLE_IN_HUNDREDTHS.has(currency) ? 0 : countedDigits(currency);

/** As people read it: `€5.00`, `¥500`. */
export function priceText(amount: number, currency: string): string {
  const digits = shownDigits(currency);
  return new Intl.NumberFormat("en", {
    ...{ style: "currency", currency: currency.toUpperCase() },
    ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
  }).format(amount / 10 ** countedDigits(currency));
}
