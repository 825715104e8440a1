import Stripe from "stripe";
import { counted } from "#counted.ts";
import { hostOf } from "#hosts.ts";
import {
  type CheckoutOrder,
  InvalidWebhook,
  type PaymentProvider,
  type PaymentRef,
  type PaymentState,
  ProviderRejected,
  ProviderUnavailable,
} from "./payment-provider.ts";
import { readMetadata, STATE_PARTS, stateOf } from "./stripe-state.ts";

/**
 * Options of the Stripe provider, which uses Checkout in payment mode (docs/payments.md). The runtime's export conditions
 * choose between the package's builds for Node and for Workers.
 */
export type StripeOptions = {
  secretKey: string;
  webhookSecret: string;
  /** Marks that tell this service's payments from others at the same Stripe account. The first marks new ones; all are valid. */
  services: readonly [string, ...string[]];
  /** Origin of the Stripe API without a path, for tests; null: Stripe's own. */
  api: string | null;
  /** Whether to use the runtime's fetch and SubtleCrypto instead of Node's modules. */
  fetchClient?: boolean;
  now: () => number;
  /** Time limit of one attempt. */
  timeoutMs?: number;
  /** Attempts after the first one. */
  retries?: number;
};

/** Pins the API version, whatever the account's default is. */
const STRIPE_API_VERSION = "2026-10-28.endive";
/** Three attempts fit into the time that Stripe waits for the response to a webhook. */
const TIMEOUT_MS = 6_000;
const RETRIES = 2;
/** A user is waiting for the page: two attempts within eight seconds. */
const OPEN_TIMEOUT_MS = 3_500;
const OPEN_RETRIES = 1;
/** Stripe's recommended limit against replays, in seconds (docs.stripe.com/webhooks/signature). */
const TOLERANCE_S = 300;
/** Turns off the age check of Stripe's library. */
const NO_TOLERANCE = 0;
/** The largest page that Stripe returns. */
const PAGE = 100;

export function createStripeProvider(options: StripeOptions): PaymentProvider {
  const { webhookSecret, services, now } = options;
  const stripe = clientOf(options);
  const subtle = options.fetchClient ? Stripe.createSubtleCryptoProvider() : undefined;

  async function withDisputes(session: Stripe.Checkout.Session): Promise<PaymentState> {
    const intent = session.payment_intent;
    const charge = typeof intent === "object" ? intent?.latest_charge : null;
    if (typeof charge !== "object" || !charge?.disputed) return stateOf(session, [], services);
    const disputes = await callStripe(
      "list",
      stripe.disputes.list({ payment_intent: idOf(intent) ?? "", limit: PAGE }),
    );
    return stateOf(session, disputes.data, services);
  }

  /** Throws where the signature is wrong, or older than the tolerance. The signer may have signed any JSON. */
  const readEvent = (
    body: Uint8Array,
    signature: string,
    toleranceS: number,
  ): Promise<Partial<Stripe.Event> | null> =>
    stripe.webhooks.constructEventAsync(body, signature, webhookSecret, toleranceS, subtle, now());

  return {
    name: "stripe",

    async open(order) {
      const { id, url } = await callStripe(
        "checkout.session",
        stripe.checkout.sessions.create(sessionOf(order, services[0]), {
          idempotencyKey: order.purchase,
          timeout: Math.min(options.timeoutMs ?? TIMEOUT_MS, OPEN_TIMEOUT_MS),
          maxNetworkRetries: Math.min(options.retries ?? RETRIES, OPEN_RETRIES),
        }),
      );
      if (url === null)
        throw new ProviderUnavailable("Stripe returned a checkout page without a URL");
      return { session: id, url };
    },

    async fetchPayment(ref) {
      const session = await findOnStripe(fetchSession(stripe, ref));
      return session === null ? null : withDisputes(session);
    },

    async readWebhook(body, signature) {
      try {
        const event = await readEvent(body, signature ?? "", TOLERANCE_S);
        return refOf(event?.data?.object);
      } catch (error) {
        // Stripe's library reports forged and late webhooks with the same error. A late one passes without the age check.
        const isLate = await readEvent(body, signature ?? "", NO_TOLERANCE).then(
          () => true,
          () => false,
        );
        const [reason = ""] = reasonOf(error).split("\n");
        throw new InvalidWebhook(`Invalid signature of a Stripe webhook: ${reason}`, { isLate });
      }
    },

    async list({ since, after }) {
      const page = await callStripe(
        "list",
        stripe.checkout.sessions.list({
          created: { gte: Math.floor(since / 1000) },
          limit: PAGE,
          ...(after === null ? {} : { starting_after: after }),
          expand: STATE_PARTS.map((part) => `data.${part}`),
        }),
      );
      const payments: PaymentState[] = [];
      for (const session of page.data) {
        if (readMetadata(session, services) !== null) payments.push(await withDisputes(session));
      }
      return { payments, next: page.has_more ? (page.data.at(-1)?.id ?? null) : null };
    },
  };
}

function clientOf({ secretKey, api, fetchClient, timeoutMs, retries }: StripeOptions): Stripe {
  const url = api === null ? null : new URL(api);
  const isPlain = url?.protocol === "http:";
  return new Stripe(secretKey, {
    apiVersion: STRIPE_API_VERSION,
    timeout: timeoutMs ?? TIMEOUT_MS,
    maxNetworkRetries: retries ?? RETRIES,
    // The library would send the duration of one call along with the next one.
    telemetry: false,
    appInfo: { name: "Toolbooth" },
    ...(url === null
      ? {}
      : {
          host: hostOf(url),
          port: url.port || (isPlain ? "80" : "443"),
          protocol: isPlain ? "http" : "https",
        }),
    ...(fetchClient ? { httpClient: Stripe.createFetchHttpClient() } : {}),
  });
}

function sessionOf(order: CheckoutOrder, service: string): Stripe.Checkout.SessionCreateParams {
  const { purchase, account, offer, email, taxes, successUrl, cancelUrl, expiresAt } = order;
  const { id, kind, name, credits, months, price, currency } = offer;
  const isTaxed = taxes === "automatic";
  // A lost row is rebuilt from this (`readMetadata`).
  const metadata = {
    service,
    purchase,
    account,
    offer: id,
    kind,
    name,
    credits: String(credits),
    months: String(months ?? "never"),
    price: String(price),
  };
  return {
    mode: "payment",
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency,
          unit_amount: price,
          product_data: { name, description: describeOffer(credits, months) },
          ...(isTaxed ? { tax_behavior: "exclusive" } : {}),
        },
      },
    ],
    client_reference_id: purchase,
    customer_email: email,
    metadata,
    payment_intent_data: { metadata },
    invoice_creation: { enabled: true, invoice_data: { metadata } },
    // The buyer pays the price of the price list, in its currency.
    adaptive_pricing: { enabled: false },
    ...(isTaxed
      ? {
          automatic_tax: { enabled: true },
          billing_address_collection: "required",
          tax_id_collection: { enabled: true },
        }
      : {}),
    success_url: successUrl,
    cancel_url: cancelUrl,
    expires_at: Math.floor(expiresAt / 1000),
  };
}

function describeOffer(credits: number, months: number | null): string {
  const count = counted(credits, "credit");
  if (months === null) return `${count} that never expire`;
  return `${count}, valid for ${counted(months, "month")}`;
}

async function fetchSession(
  stripe: Stripe,
  ref: PaymentRef,
): Promise<Stripe.Checkout.Session | null> {
  if ("session" in ref) {
    const { sessions } = stripe.checkout;
    const expand = [...STATE_PARTS];
    return objectOf("checkout.session", sessions.retrieve(ref.session, { expand }));
  }
  const { data } = await objectOf(
    "list",
    stripe.checkout.sessions.list({
      payment_intent: ref.payment,
      limit: 1,
      expand: STATE_PARTS.map((part) => `data.${part}`),
    }),
  );
  return data[0] ?? null;
}

/**
 * The checkout page or the payment that a webhook is about. Each type of event that we handle names one of them; any other
 * is not about a purchase.
 */
function refOf(object: unknown): PaymentRef | null {
  if (typeof object !== "object" || object === null) return null;
  if (!("id" in object && typeof object.id === "string" && "object" in object)) return null;
  if (object.object === "checkout.session") return { session: object.id };
  if (object.object === "payment_intent") return { payment: object.id };
  const payment = "payment_intent" in object ? idOf(object.payment_intent) : null;
  return payment === null ? null : { payment };
}

/** The id of an object that Stripe names by its id or includes whole; null where there is neither. */
function idOf(reference: unknown): string | null {
  if (typeof reference === "string") return reference;
  if (typeof reference !== "object" || reference === null || !("id" in reference)) return null;
  return typeof reference.id === "string" ? reference.id : null;
}

/**
 * Waits for an object of this kind. Stripe's library takes any JSON without a member `error` for the object that was asked
 * for, whatever its status: a proxy's 503 would be a payment.
 */
async function objectOf<Result extends { object: string }>(
  kind: Result["object"],
  response: Promise<Stripe.Response<Result>>,
): Promise<Result> {
  const result = await response;
  if (result.object === kind) return result;
  const { statusCode } = result.lastResponse;
  throw new ProviderUnavailable(
    `A response with status ${statusCode} did not come from Stripe: it is no \`${kind}\``,
  );
}

/** Waits for Stripe's response. Throws `ProviderRejected` or `ProviderUnavailable` for its errors. */
async function callStripe<Result extends { object: string }>(
  kind: Result["object"],
  response: Promise<Stripe.Response<Result>>,
): Promise<Result> {
  try {
    return await objectOf(kind, response);
  } catch (error) {
    throw error instanceof Stripe.errors.StripeError ? toProviderError(error) : error;
  }
}

/** As `callStripe`, but returns null where Stripe does not know the object. */
async function findOnStripe<Result>(response: Promise<Result>): Promise<Result | null> {
  try {
    return await response;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    if (error.statusCode === 404 || error.code === "resource_missing") return null;
    throw toProviderError(error);
  }
}

/** The message goes into a log, so it contains neither the key nor Stripe's own message, which may quote a buyer's email. */
function toProviderError(error: Stripe.errors.StripeError): Error {
  const { statusCode = 0 } = error;
  if (statusCode === 401) {
    return new ProviderRejected(
      "Stripe does not accept STRIPE_SECRET_KEY: it is misspelt, or was rolled or deleted. Set the secret key of your " +
        "account (Stripe Dashboard, Developers, API keys) and restart the service.",
    );
  }
  if (statusCode === 403) {
    return new ProviderRejected(
      "STRIPE_SECRET_KEY is a restricted key that lacks permissions. It needs write for Checkout Sessions, and read for " +
        "PaymentIntents, Charges, Disputes, Balance transactions and Invoices.",
    );
  }
  // 409: Stripe is processing the same order right now.
  const isRejected =
    statusCode >= 400 && statusCode < 500 && statusCode !== 409 && statusCode !== 429;
  if (isRejected) return new ProviderRejected(`Stripe rejected the request: ${detailsOf(error)}`);
  if (statusCode > 0) return new ProviderUnavailable(`Stripe is unavailable: ${detailsOf(error)}`);
  // A connection error has no content from Stripe, so its message can be logged.
  return new ProviderUnavailable(`Stripe is unreachable: ${reasonOf(error)}`, { cause: error });
}

/** Details by which the operator finds the request in Stripe's dashboard (Developers, Logs). */
function detailsOf(error: Stripe.errors.StripeError): string {
  const { type, statusCode, code, param, requestId } = error;
  return [
    type,
    statusCode === undefined ? "" : `status ${statusCode}`,
    code && `code ${code}`,
    param && `parameter ${param}`,
    requestId && `request ${requestId} in Stripe's log`,
  ]
    .filter(Boolean)
    .join(", ");
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
