/**
 * A SEPA credit transfer as the European Payments Council specifies it for QR codes (EPC069-12, version 3.1), which banking
 * apps read. Each check returns what is wrong, in words for the person who filled in the field, or undefined.
 */

export type CreditTransfer = {
  name: string;
  iban: string;
  bic: string;
  amount: string;
  purpose: string;
  reference: string;
  text: string;
  information: string;
};

/** The level that the guideline requires; its third line names UTF-8 in place of an ECI header. At most version 13 holds this. */
export const TRANSFER_SETTINGS = { errorCorrectionLevel: "M", eci: "never" } as const;
const BYTES_MAX = 331;

/** One element per line; those after the last one that is filled in are left out. */
export function transferText(transfer: CreditTransfer): string {
  const line = (text: string) => text.replace(/[\r\n]+/g, " ").trim();
  const elements = [
    "BCD",
    // Version 002, in which the BIC may be left out; character set 1, UTF-8; SEPA credit transfer.
    "002",
    "1",
    "SCT",
    compact(transfer.bic),
    line(transfer.name),
    compact(transfer.iban),
    transfer.amount.trim() === "" ? "" : `EUR${amountOf(transfer.amount)}`,
    compact(transfer.purpose),
    compact(transfer.reference),
    line(transfer.text),
    line(transfer.information),
  ];
  return elements.join("\n").replace(/\n+$/, "");
}

const compact = (text: string): string => text.replace(/\s/g, "").toUpperCase();

/** With a point and without separators of thousands; undefined for anything else than an amount. */
function amountOf(text: string): string | undefined {
  const amount = text.trim().replace(/^(?:EUR|€)\s*|\s*(?:EUR|€)$/gi, "");
  const [, euros = "", cents = ""] = /^0*(\d+)(?:[.,](\d{1,2}))?$/.exec(amount) ?? [];
  return euros === "" ? undefined : `${euros}.${cents.padEnd(2, "0")}`;
}

export function ibanFault(text: string): string | undefined {
  const iban = compact(text);
  const wrong = /[^A-Z0-9]/.exec(iban)?.[0];
  if (wrong !== undefined) return `An IBAN has letters and digits only, not “${wrong}”.`;
  if (!/^[A-Z]{2}/.test(iban)) return "An IBAN begins with the code of a country, as in DE89.";
  if (iban.length < 15 || iban.length > 34) {
    return `An IBAN has 15 to 34 characters; this has ${iban.length}.`;
  }
  return leavesOne(iban) ? undefined : "This is not an IBAN: check it for a mistyped character.";
}

export function bicFault(text: string): string | undefined {
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(compact(text))
    ? undefined
    : "A BIC has 8 or 11 letters and digits, as in COBADEFFXXX.";
}

export function amountFault(text: string): string | undefined {
  const amount = amountOf(text);
  if (amount === undefined) {
    return "Write the amount in digits, with at most two after the decimal point, as in 1250.50.";
  }
  return Number(amount) >= 0.01 && Number(amount) <= 999_999_999.99
    ? undefined
    : "The amount must be from 0.01 to 999999999.99 euros.";
}

export const purposeFault = (text: string): string | undefined =>
  /^[A-Z0-9]{1,4}$/.test(compact(text))
    ? undefined
    : "A purpose has up to 4 letters and digits, as in CHAR.";

/** A creditor reference of ISO 11649, or one of a national scheme. */
export function referenceFault(text: string): string | undefined {
  const reference = compact(text);
  if (!/^[A-Z0-9/?:().,'+-]{1,35}$/.test(reference)) {
    return "A reference has up to 35 letters, digits and signs.";
  }
  const isCreditorReference = /^RF\d\d/.test(reference);
  if (!isCreditorReference) return undefined;
  return /^RF\d\d[A-Z0-9]{1,21}$/.test(reference) && leavesOne(reference)
    ? undefined
    : "This RF reference is not valid: check it for a mistyped character.";
}

export const lengthFault =
  (max: number) =>
  (text: string): string | undefined => {
    const { length } = [...text.trim()];
    return length <= max ? undefined : `At most ${max} characters; this has ${length}.`;
  };

/** What is wrong with the fields together, at the field where it can be mended. */
export function transferFaults(transfer: CreditTransfer): Record<string, string> {
  if (transfer.reference.trim() !== "" && transfer.text.trim() !== "") {
    return { text: "A transfer has a reference or a text, not both: clear one of them." };
  }
  const bytes = new TextEncoder().encode(transferText(transfer)).length;
  if (bytes <= BYTES_MAX) return {};
  const field = transfer.information.trim() !== "" ? "information" : "text";
  return {
    [field]: `A transfer has at most ${BYTES_MAX} bytes; this has ${bytes}. Shorten the text.`,
  };
}

/** ISO 7064, MOD 97-10: with the first four characters at the end and A to Z as numbers, the rest of 97 is 1. */
function leavesOne(text: string): boolean {
  let rest = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    for (const digit of String(Number.parseInt(character, 36)))
      rest = (10 * rest + Number(digit)) % 97;
  }
  return rest === 1;
}
