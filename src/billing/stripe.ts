import Stripe from "stripe";
import {
  type CheckoutOrder,
  InvalidWebhook,
  type PaymentProvider,
  type PaymentRef,
  type PaymentState,
  ProviderRejected,
  ProviderUnavailable,
} from "./payment-provider.ts";
import { STATE_PARTS, stateOf, toldOf } from "./stripe-state.ts";

/**
 * Stripe: Checkout in payment mode (docs/payments.md). The package comes as the runtime's export conditions resolve it: its
 * build for Node, or the one for Workers.
 */
export type StripeOptions = {
  secretKey: string;
  webhookSecret: string;
  /** By what a payment is known as this service's among others at the same account: the newest first, each is good. */
  services: readonly [string, ...string[]];
  /** The interface's scheme, host and port, without a path: for trying out; null: Stripe's own. */
  api: string | null;
  /** Over the runtime's fetch and SubtleCrypto instead of Node's modules. */
  fetchClient?: boolean;
  now: () => number;
  /** Of one try; and how often it is tried again. */
  timeoutMs?: number;
  retries?: number;
};

/** What we read and write is of this version, whatever the account's own is. */
export const STRIPE_API_VERSION = "2026-10-28.endive";
/** Three tries fit into the time that Stripe waits for the answer to a message. */
const TIMEOUT_MS = 6_000;
const RETRIES = 2;
/** A person waits for the page: two tries within eight seconds. */
const OPEN_TIMEOUT_MS = 3_500;
const OPEN_RETRIES = 1;
/** A message that was signed longer ago is a replay (docs.stripe.com/webhooks/signature). */
const TOLERANCE_S = 300;
/** The most that Stripe gives at once. */
const PAGE = 100;

export function createStripeProvider(options: StripeOptions): PaymentProvider {
  const { webhookSecret, services, now } = options;
  const stripe = clientOf(options);
  const subtle = options.fetchClient ? Stripe.createSubtleCryptoProvider() : undefined;

  async function withDisputes(session: Stripe.Checkout.Session): Promise<PaymentState> {
    const intent = session.payment_intent;
    const charge = typeof intent === "object" ? intent?.latest_charge : null;
    if (typeof charge !== "object" || !charge?.disputed) return stateOf(session, [], services);
    const disputes = await asked(
      stripe.disputes.list({ payment_intent: nameOf(intent) ?? "", limit: PAGE }),
    );
    return stateOf(session, disputes.data, services);
  }

  return {
    name: "stripe",

    async open(order) {
      const made = stripe.checkout.sessions.create(sessionOf(order, services[0]), {
        idempotencyKey: order.purchase,
        timeout: Math.min(options.timeoutMs ?? TIMEOUT_MS, OPEN_TIMEOUT_MS),
        maxNetworkRetries: Math.min(options.retries ?? RETRIES, OPEN_RETRIES),
      });
      const { id, url } = await asked(made);
      if (url === null)
        throw new ProviderUnavailable("Stripe has opened a page without an address");
      return { session: id, url };
    },

    async look(ref) {
      const session = await asked(sessionBy(stripe, ref), "or none");
      return session === null ? null : withDisputes(session);
    },

    async readMessage(body, signature) {
      // Of whatever was signed.
      let event: Partial<Stripe.Event> | null;
      try {
        event = await stripe.webhooks.constructEventAsync(
          ...([body, signature ?? "", webhookSecret, TOLERANCE_S, subtle, now()] as const),
        );
      } catch (error) {
        const [reason = ""] = reasonOf(error).split("\n");
        const isLate = /outside the tolerance/.test(reason);
        throw new InvalidWebhook(`Not a message of Stripe's: ${reason}`, { isLate });
      }
      return refOf(event?.data?.object);
    },

    async list({ since, after }) {
      const page = await asked(
        stripe.checkout.sessions.list({
          ...{ created: { gte: Math.floor(since / 1000) }, limit: PAGE },
          ...(after === null ? {} : { starting_after: after }),
          expand: STATE_PARTS.map((part) => `data.${part}`),
        }),
      );
      const payments: PaymentState[] = [];
      for (const session of page.data) {
        if (toldOf(session, services) !== null) payments.push(await withDisputes(session));
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
    // Nothing of one call goes with the next one.
    telemetry: false,
    appInfo: { name: "Toolbooth" },
    ...(url === null
      ? {}
      : {
          host: url.hostname.replace(/^\[|\]$/g, ""),
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
  // A purchase whose row was lost is made again from this.
  const metadata = {
    ...{ service, purchase, account, offer: id, kind, name },
    ...{ credits: String(credits), months: String(months ?? "never"), price: String(price) },
  };
  return {
    mode: "payment",
    line_items: [
      {
        quantity: 1,
        price_data: {
          ...{ currency, unit_amount: price },
          product_data: { name, description: wordsOf(credits, months) },
          ...(isTaxed ? { tax_behavior: "exclusive" } : {}),
        },
      },
    ],
    client_reference_id: purchase,
    customer_email: email,
    metadata,
    payment_intent_data: { metadata },
    invoice_creation: { enabled: true, invoice_data: { metadata } },
    // What is paid is what the price list says, in its currency.
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

function wordsOf(credits: number, months: number | null): string {
  const count = `${credits.toLocaleString("en")} ${credits === 1 ? "credit" : "credits"}`;
  if (months === null) return `${count} that do not expire`;
  return `${count}, to be used within ${months === 1 ? "1 month" : `${months} months`}`;
}

async function sessionBy(stripe: Stripe, ref: PaymentRef): Promise<Stripe.Checkout.Session | null> {
  if ("session" in ref) {
    return stripe.checkout.sessions.retrieve(ref.session, { expand: [...STATE_PARTS] });
  }
  const { data } = await stripe.checkout.sessions.list({
    ...{ payment_intent: ref.payment, limit: 1 },
    expand: STATE_PARTS.map((part) => `data.${part}`),
  });
  return data[0] ?? null;
}

/** The page or the payment that a message is about: each of its kinds names one of them, or is nothing that we sell. */
function refOf(object: unknown): PaymentRef | null {
  if (typeof object !== "object" || object === null) return null;
  const { object: kind, id, payment_intent: intent } = object as Record<string, unknown>;
  if (typeof id !== "string") return null;
  if (kind === "checkout.session") return { session: id };
  if (kind === "payment_intent") return { payment: id };
  const payment = nameOf(intent as string | { id: string } | null | undefined);
  return payment === null ? null : { payment };
}

const nameOf = (given: string | { id: string } | null | undefined): string | null =>
  typeof given === "object" ? (given?.id ?? null) : (given ?? null);

/** Waits for Stripe's answer, and says in our words why there is none. `or none`: nothing by that name is null. */
async function asked<ApiResponse>(response: Promise<ApiResponse>): Promise<ApiResponse>;
async function asked<ApiResponse>(
  response: Promise<ApiResponse>,
  none: "or none",
): Promise<ApiResponse | null>;
async function asked<ApiResponse>(
  response: Promise<ApiResponse>,
  none?: "or none",
): Promise<ApiResponse | null> {
  try {
    return await response;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { statusCode, code } = error;
    if (none !== undefined && (statusCode === 404 || code === "resource_missing")) return null;
    throw faultOf(error);
  }
}

/** It goes into a log: never with the key in it, nor with Stripe's own sentence, which may quote a buyer's address. */
function faultOf(error: Stripe.errors.StripeError): Error {
  const { statusCode = 0 } = error;
  if (statusCode === 401) {
    return new ProviderRejected(
      "Stripe does not know STRIPE_SECRET_KEY: it was misspelt, rolled or deleted. Set the secret key of your account " +
        "(Dashboard, Developers, API keys) and start again.",
    );
  }
  if (statusCode === 403) {
    return new ProviderRejected(
      "STRIPE_SECRET_KEY is a restricted key without the rights that are needed: write for Checkout Sessions; read for " +
        "PaymentIntents, Charges, Disputes, Balance transactions and Invoices.",
    );
  }
  // 409: the same order is being carried out just now.
  const isWrong = statusCode >= 400 && statusCode < 500 && statusCode !== 409 && statusCode !== 429;
  if (isWrong) return new ProviderRejected(`Stripe refused the order: ${namesOf(error)}`);
  if (statusCode > 0) return new ProviderUnavailable(`Stripe did not answer: ${namesOf(error)}`);
  // Of the connection: nothing of Stripe's is in it.
  return new ProviderUnavailable(`Stripe did not answer: ${reasonOf(error)}`, { cause: error });
}

/** What the sentence is found by, in Stripe's dashboard (Developers, Logs). */
function namesOf({ type, statusCode, code, param, requestId }: Stripe.errors.StripeError): string {
  const names = [
    ...[type, statusCode === undefined ? "" : `status ${statusCode}`, code && `code ${code}`],
    ...[param && `parameter ${param}`, requestId && `request ${requestId} in Stripe's log`],
  ];
  return names.filter(Boolean).join(", ");
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
