import type { Form, FormValue } from "./form.ts";

/** The parameters that the API accepts, as far as we use them, and how it rejects others (docs.stripe.com/api/errors). */
export class Refused extends Error {
  readonly status: number;
  readonly error: Record<string, unknown>;
  constructor(status: number, error: Record<string, unknown>) {
    super(String(error["message"]));
    this.status = status;
    this.error = { type: "invalid_request_error", ...error };
  }
}

type Kind = "text" | "email" | "whole" | "truth" | "texts" | readonly string[];
type Shape = { [name: string]: Kind | Shape | [Shape] };

const METADATA: Shape = {};
const EXPAND = { expand: "texts" } as const;

export const CREATE_SESSION: Shape = {
  mode: ["payment", "setup", "subscription"],
  line_items: [
    {
      quantity: "whole",
      price_data: {
        currency: "text",
        unit_amount: "whole",
        tax_behavior: ["exclusive", "inclusive", "unspecified"],
        product_data: { name: "text", description: "text", metadata: METADATA },
      },
    },
  ],
  client_reference_id: "text",
  customer_email: "email",
  metadata: METADATA,
  payment_intent_data: { metadata: METADATA, description: "text" },
  invoice_creation: { enabled: "truth", invoice_data: { metadata: METADATA } },
  automatic_tax: { enabled: "truth" },
  adaptive_pricing: { enabled: "truth" },
  tax_id_collection: { enabled: "truth" },
  billing_address_collection: ["auto", "required"],
  success_url: "text",
  cancel_url: "text",
  expires_at: "whole",
  ...EXPAND,
};
export const RETRIEVE: Shape = EXPAND;
export const LIST: Shape = {
  payment_intent: "text",
  limit: "whole",
  starting_after: "text",
  created: { gte: "whole" },
  ...EXPAND,
};

const unknown = (param: string) =>
  new Refused(400, {
    ...{ code: "parameter_unknown", param },
    message: `Received unknown parameter: ${param}`,
  });
const invalid = (param: string, what: string) =>
  new Refused(400, { param, message: `Invalid ${what}: ${param}` });

/** Rejects parameters that the shape does not have, with the name that Stripe would use. */
export function checkForm(form: Form, shape: Shape, at = ""): void {
  for (const [name, value] of Object.entries(form)) {
    const param = at === "" ? name : `${at}[${name}]`;
    const kind = shape[name];
    if (kind === undefined) throw unknown(param);
    if (kind === METADATA) checkMetadata(value, param);
    else if (Array.isArray(kind) && typeof kind[0] === "object") {
      checkList(value, kind[0], param);
    } else if (typeof kind === "object" && !Array.isArray(kind)) {
      if (typeof value !== "object" || Array.isArray(value)) throw invalid(param, "object");
      checkForm(value, kind as Shape, param);
    } else checkValue(value, kind as Kind, param);
  }
}

function checkList(value: FormValue, shape: Shape, param: string): void {
  if (!Array.isArray(value)) throw invalid(param, "array");
  value.forEach((each, place) => {
    if (typeof each !== "object" || Array.isArray(each)) throw invalid(param, "object");
    checkForm(each, shape, `${param}[${place}]`);
  });
}

function checkValue(value: FormValue, kind: Kind, param: string): void {
  if (kind === "texts") {
    const isTexts = Array.isArray(value) && value.every((each) => typeof each === "string");
    if (!isTexts) throw invalid(param, "array");
    return;
  }
  if (typeof value !== "string" || value === "") throw invalid(param, "string");
  // Like Stripe, it quotes the input.
  if (kind === "email" && !/^[^\s@]+@[^\s@]+$/.test(value)) {
    const message = `Invalid email address: ${value}`;
    throw new Refused(400, { code: "email_invalid", param, message });
  }
  if (kind === "whole" && !/^-?\d+$/.test(value)) throw invalid(param, "integer");
  if (kind === "truth" && !/^(?:true|false)$/.test(value)) throw invalid(param, "boolean");
  if (typeof kind === "object" && !kind.includes(value)) throw invalid(param, kind.join(" or "));
}

/** At most 50 keys of 40 characters with values of 500. */
function checkMetadata(value: FormValue, param: string): void {
  if (typeof value !== "object" || Array.isArray(value)) throw invalid(param, "hash");
  if (Object.keys(value).length > 50) throw invalid(param, "number of keys");
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== "string") throw invalid(`${param}[${key}]`, "string");
    if (key.length > 40 || text.length > 500) throw invalid(`${param}[${key}]`, "length");
  }
}

const ZERO_DECIMAL = /^(?:bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|vnd|vuv|xaf|xof|xpf)$/;

/** Stripe's rules for amounts (docs.stripe.com/currencies), written a second time so that ours are checked against them. */
export function checkAmount(amount: number, currency: string): void {
  const refuse = (code: string, message: string) => new Refused(400, { code, message });
  if (!/^[a-z]{3}$/.test(currency)) throw invalid("currency", "currency");
  if (amount < 0 || amount > 99_999_999) {
    throw refuse("amount_too_large", "Amount must be no more than 99999999");
  }
  const least = ZERO_DECIMAL.test(currency) ? 1 : 30;
  if (amount < least) throw refuse("amount_too_small", "The amount is below the least charge");
  if (/^(?:bhd|jod|kwd|omr|tnd)$/.test(currency) && amount % 10 !== 0) {
    throw refuse("invalid_amount", "Amounts of three-decimal currencies end with 0");
  }
  if (currency === "isk" && amount % 100 !== 0) {
    throw refuse("invalid_charge_amount_no_decimal_compatible", "ISK must be divisible by 100");
  }
}
