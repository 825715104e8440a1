/**
 * A fake Stripe for the part that we use: a server on this machine for the real SDK, as strict as Stripe (forms, version, keys,
 * idempotency), with a checkout page for browsers, controls for tests, and signed webhooks. It follows the documentation of
 * the API version that it is pinned to.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { StripeOptions } from "#billing/stripe.ts";
import { CREATE_SESSION, checkForm, LIST, RETRIEVE, Refused } from "./accepted.ts";
import { type Form, FormFault, readForm } from "./form.ts";
import { createSender, type Message, messageOf, send, sign } from "./messages.ts";
import { createWorld, type StripeObject, tell } from "./objects.ts";
import { payPage, plainPage } from "./page.ts";
import { createTill } from "./till.ts";

export const FAKE_SECRET_KEY = "sk_test_a1b2c3d4e5f6";
export const FAKE_WEBHOOK_SECRET = "whsec_f6e5d4c3b2a1";
/** The metadata by which a service marks its payments at Stripe. */
export const FAKE_SERVICE = "0a1b2c3d4e5f6071";
const VERSION = "2026-10-28.endive";

/** The options of the service's provider that reaches a fake, and makes one attempt. */
export const fakeOptions = (
  options: Pick<StripeOptions, "api" | "now"> & Partial<StripeOptions>,
): StripeOptions => ({
  ...{ secretKey: FAKE_SECRET_KEY, webhookSecret: FAKE_WEBHOOK_SECRET, services: [FAKE_SERVICE] },
  ...{ retries: 0, ...options },
});

/** `… late`: the order was carried out, and its response is lost. */
export type ApiFault =
  | "500"
  | "500 late"
  | "429"
  | "reset"
  | "reset late"
  | "silence"
  | "nonsense"
  | "proxy 503"
  | "proxy 200";

export type ApiRequest = {
  method: string;
  path: string;
  form: Form;
  idempotencyKey: string | null;
};

type FakeResponse = { status: number; body: unknown };

export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>;

export async function startFakeStripe({ now = Date.now }: { now?: () => number } = {}) {
  let base = "";
  const world = createWorld(now, () => base);
  const messages: Message[] = [];
  let taken = 0;
  let sendTo: string | null = null;
  const signatureOf = ({ body }: Message) => sign(body, FAKE_WEBHOOK_SECRET, now());
  const sender = createSender(signatureOf);
  const requests: ApiRequest[] = [];
  const faults: ApiFault[] = [];
  let away: ApiFault | null = null;
  const silent: Socket[] = [];
  const responded = new Map<string, { params: string; response: FakeResponse }>();

  const till = createTill(
    world,
    (type, object) => {
      const id = `evt_${String(messages.length + 1).padStart(14, "0")}`;
      const about = { id, created: world.seconds(), version: VERSION };
      const message = messageOf(type, tell(world, object, []), about);
      messages.push(message);
      if (sendTo !== null) sender.begin(sendTo, message);
    },
    () => base,
  );

  /** Checks and carries out a request. */
  function carryOut(method: string, path: string, form: Form): unknown {
    const [, , ...steps] = path.split("/");
    const route = `${method} ${steps.slice(0, 2).join("/")}`;
    if (path === "/v1/checkout/sessions" && method === "POST") {
      checkForm(form, CREATE_SESSION);
      return tell(world, world.createSession(form), expandOf(form));
    }
    if (route === "GET checkout/sessions" && steps.length === 3) {
      checkForm(form, RETRIEVE);
      return tell(world, world.find(steps[2] ?? "", "checkout.session"), expandOf(form));
    }
    const object = { "/v1/checkout/sessions": "checkout.session", "/v1/disputes": "dispute" }[path];
    if (method === "GET" && object !== undefined) {
      checkForm(form, LIST);
      const expand = expandOf(form).map((part) => part.replace(/^data\./, ""));
      const { data, has_more } = world.list(object, form);
      return {
        ...{ object: "list", url: path, has_more },
        data: data.map((it) => tell(world, it, expand)),
      };
    }
    throw new Refused(404, { message: `Unrecognized request URL (${method}: ${path}).` });
  }

  /** Returns the first response for a repeated key with the same order; rejects another order. */
  function once(key: string | null, params: string, act: () => unknown): [FakeResponse, boolean] {
    const known = key === null ? undefined : responded.get(key);
    if (known !== undefined) {
      if (known.params === params) return [known.response, true];
      throw new Refused(400, {
        type: "idempotency_error",
        message: `Keys for idempotent requests can only be used with the same parameters they were first used with. (${key})`,
      });
    }
    const result = { status: 200, body: act() };
    if (key !== null) responded.set(key, { params, response: result });
    return [result, false];
  }

  async function callApi(
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
  ): Promise<void> {
    const url = new URL(request.url ?? "/", base);
    const { method = "GET", headers } = request;
    const fault = faults.shift() ?? away;
    if (fault === "silence") return void silent.push(request.socket);
    if (fault === "reset") return void request.socket.destroy();
    if (fault === "nonsense") return void response.writeHead(200).end("<html>busy</html>");
    if (fault === "proxy 503" || fault === "proxy 200") {
      response.writeHead(Number(fault.slice(6)), { "Content-Type": "application/json" });
      return void response.end('{"message":"no healthy upstream"}');
    }
    try {
      if (fault === "500") throw new Refused(500, { type: "api_error", message: "Sorry." });
      if (fault === "429") {
        throw new Refused(429, { code: "rate_limit", message: "Too many requests." });
      }
      checkHeaders(request);
      const form = readForm(method === "POST" ? body : url.search.slice(1));
      const idempotencyKey = (headers["idempotency-key"] as string | undefined) ?? null;
      requests.push({ method, path: url.pathname, form, idempotencyKey });
      const params = `${method} ${url.pathname} ${JSON.stringify(form)}`;
      const [{ status, body: told }, isReplayed] = once(
        method === "POST" ? idempotencyKey : null,
        params,
        () => carryOut(method, url.pathname, form),
      );
      if (fault === "500 late") throw new Refused(500, { type: "api_error", message: "Sorry." });
      if (fault === "reset late") return void request.socket.destroy();
      if (isReplayed) response.setHeader("Idempotent-Replayed", "true");
      respond(response, status, told);
    } catch (error) {
      const refused =
        error instanceof FormFault ? new Refused(400, { message: error.message }) : error;
      if (!(refused instanceof Refused)) throw error;
      respond(response, refused.status, { error: refused.error });
    }
  }

  function callInBrowser(request: IncomingMessage, response: ServerResponse, body: string): void {
    const [, place, id = ""] = (request.url ?? "").split("/");
    const html = (text: string) =>
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(text);
    const session = world.objects.get(id);
    if (session === undefined) return void response.writeHead(404).end();
    if (place !== "pay")
      return void html(plainPage(place === "receipt" ? "Receipt" : "Invoice", id));
    if (request.method !== "POST") return void html(payPage(session));
    const act = new URLSearchParams(body).get("act");
    const { success_url: success, cancel_url: cancel } = session;
    if (act === "pay") till.pay(id);
    if (act === "later") till.payLater(id);
    const next = String(act === "cancel" ? cancel : success);
    const Location = next.replaceAll("{CHECKOUT_SESSION_ID}", id);
    response.writeHead(303, { Location }).end();
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    if (request.url?.startsWith("/v1/")) await callApi(request, response, body);
    else callInBrowser(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    /** For TOOLBOOTH_STRIPE_API. */
    api: base,
    ...till,
    /** The requests that were accepted. */
    requests,
    /** Errors for the next requests, one each. */
    faultNext: (...next: ApiFault[]) => void faults.push(...next),
    /** The error for every request until it is null. */
    setAway: (fault: ApiFault | null) => {
      away = fault;
    },
    /** The connections of requests that get no response. */
    silent,
    /** The id of the newest page. */
    newest: () => world.list("checkout.session", { limit: "1" }).data[0]?.id ?? "",
    session: (id: string): StripeObject => world.find(id, "checkout.session"),
    /** A checkout page that another service opened with the same account. */
    foreign: (): string =>
      world.createSession({
        ...{ mode: "payment", success_url: "https://shop.test/", cancel_url: "https://shop.test/" },
        line_items: [{ quantity: "1", price_data: { currency: "eur", unit_amount: "900" } }],
        metadata: { order: "77" },
      }).id,
    /** The events since the last call. */
    take(): Message[] {
      const since = messages.slice(taken);
      taken = messages.length;
      return since;
    },
    signatureOf,
    /** Sends one webhook once and returns the status of the response. */
    send: (url: string, message: Message) => send(url, message, signatureOf(message)),
    /** From now on sends events there, each until it is accepted; null: stops sending. */
    sendTo: (url: string | null) => {
      sendTo = url;
    },
    async close(): Promise<void> {
      await sender.end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const expandOf = (form: Form) => (form["expand"] ?? []) as string[];

function checkHeaders({ method, headers }: IncomingMessage): void {
  const { authorization = "" } = headers;
  if (authorization !== `Bearer ${FAKE_SECRET_KEY}`) {
    const shown = authorization.replace(/^Bearer (.{8}).*$/, "$1****");
    throw new Refused(401, { message: `Invalid API Key provided: ${shown}` });
  }
  if (headers["stripe-version"] !== VERSION) {
    throw new Refused(400, { message: `Invalid Stripe API version: ${headers["stripe-version"]}` });
  }
  if (method === "POST" && headers["content-type"] !== "application/x-www-form-urlencoded") {
    throw new Refused(400, { message: `Invalid content type: ${headers["content-type"]}` });
  }
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, {
      ...{ "Content-Type": "application/json", "Stripe-Version": VERSION },
      "Request-Id": "req_fake",
    })
    .end(JSON.stringify(body, null, 2));
}
