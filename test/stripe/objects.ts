import { randomBytes } from "node:crypto";
import { checkAmount, Refused } from "./accepted.ts";
import type { Form } from "./form.ts";

/** Stripe's objects as it stores them: references hold ids, which are expanded on request. */
export type StripeObject = {
  id: string;
  object: string;
  created: number;
  [member: string]: unknown;
};

export type World = ReturnType<typeof createWorld>;

const MIN_OPEN_S = 30 * 60;
const MAX_OPEN_S = 24 * 60 * 60;
/** The automatic tax, added to the price. */
const TAX_PERCENT = 19;

/** `now` in milliseconds; `base`: the URL of the fake, for the pages that it names. */
export function createWorld(now: () => number, base: () => string) {
  const objects = new Map<string, StripeObject>();
  /** Ids of one fake differ from those of another. */
  const tag = randomBytes(4).toString("hex");
  let made = 0;
  const seconds = () => Math.floor(now() / 1000);

  function add(prefix: string, object: string, members: Record<string, unknown>): StripeObject {
    made += 1;
    const id = `${prefix}_${tag}${String(made).padStart(6, "0")}`;
    const it = { id, object, created: seconds(), livemode: false, ...members };
    objects.set(id, it);
    return it;
  }

  function find(id: string, object: string): StripeObject {
    const found = objects.get(id);
    if (found?.object === object) return found;
    throw new Refused(404, {
      ...{ code: "resource_missing", param: "id" },
      message: `No such ${object}: '${id}'`,
    });
  }

  function createSession(form: Form): StripeObject {
    const line = (form["line_items"] as Form[] | undefined)?.[0];
    const price = line?.["price_data"] as Form | undefined;
    for (const name of ["mode", "success_url"]) {
      if (form[name] === undefined) throw missing(name);
    }
    if (price === undefined) throw missing("line_items[0][price_data]");
    const amount = Number(price["unit_amount"]) * Number(line?.["quantity"]);
    const currency = String(price["currency"]);
    checkAmount(amount, currency);
    checkTimes(form, seconds());
    for (const name of ["success_url", "cancel_url"]) {
      if (!URL.canParse(String(form[name]))) {
        throw new Refused(400, { code: "url_invalid", param: name, message: "Not a valid URL" });
      }
    }
    const isTaxed = isOn(form["automatic_tax"]);
    const session = add("cs_test", "checkout.session", {
      ...{ mode: "payment", status: "open", payment_status: "unpaid", payment_intent: null },
      ...{ amount_subtotal: amount, amount_total: amount, currency, invoice: null },
      ...{ automatic_tax: { enabled: isTaxed, status: null }, customer: null },
      client_reference_id: form["client_reference_id"] ?? null,
      customer_email: form["customer_email"] ?? null,
      metadata: form["metadata"] ?? {},
      success_url: form["success_url"],
      cancel_url: form["cancel_url"] ?? null,
      expires_at: Number(form["expires_at"] ?? seconds() + MAX_OPEN_S),
      // Stripe does not return this, but paying needs it.
      hidden: {
        intent: (form["payment_intent_data"] as Form | undefined)?.["metadata"] ?? {},
        invoices: isOn(form["invoice_creation"]),
        product: (price["product_data"] as Form | undefined)?.["name"],
        tax: isTaxed ? Math.round((amount * TAX_PERCENT) / 100) : 0,
      },
    });
    session["url"] = `${base()}/pay/${session.id}`;
    return session;
  }

  /** Newest first, after the given one. */
  function list(object: string, form: Form): { data: StripeObject[]; has_more: boolean } {
    const { payment_intent: intent, starting_after: after, limit = "10" } = form;
    const since = Number((form["created"] as Form | undefined)?.["gte"] ?? 0);
    const max = Number(limit);
    if (max < 1 || max > 100) throw new Refused(400, { param: "limit", message: "Invalid limit" });
    const all = [...objects.values()]
      .filter((it) => it.object === object && it.created >= since)
      .filter((it) => intent === undefined || it["payment_intent"] === intent)
      .reverse();
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    return { data: all.slice(from, from + max), has_more: all.length > from + max };
  }

  return { objects, add, find, createSession, list, seconds };
}

const isOn = (given: unknown) => (given as Form | undefined)?.["enabled"] === "true";

const missing = (param: string) =>
  new Refused(400, {
    ...{ code: "parameter_missing", param },
    message: `Missing required param: ${param}.`,
  });

function checkTimes(form: Form, now: number): void {
  if (form["expires_at"] === undefined) return;
  const open = Number(form["expires_at"]) - now;
  if (open >= MIN_OPEN_S && open <= MAX_OPEN_S) return;
  throw new Refused(400, {
    param: "expires_at",
    message: "The `expires_at` timestamp must be between 30 minutes and 24 hours from now.",
  });
}

/** An object as the API returns it, with ids unless expanded. At most four levels deep, like Stripe. */
export function tell(world: World, it: StripeObject, expand: readonly string[]): StripeObject {
  const { hidden: _, ...told } = it;
  for (const path of expand) {
    const [member = "", ...rest] = path.split(".");
    if (rest.length > 3)
      throw new Refused(400, { message: "You cannot expand more than 4 levels" });
    if (!(member in told)) {
      throw new Refused(400, { message: `This property cannot be expanded (${path}).` });
    }
    const id = typeof told[member] === "string" ? told[member] : it[member];
    const inner = typeof id === "string" ? world.objects.get(id) : undefined;
    if (inner !== undefined)
      told[member] = tell(world, inner, rest.length > 0 ? [rest.join(".")] : []);
  }
  return told as StripeObject;
}
