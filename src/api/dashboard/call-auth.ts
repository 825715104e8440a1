import { CLIENT_ADDRESS_HEADER } from "#accounts/auth-hooks.ts";
import { AccountError, readEmail } from "#accounts/people.ts";
import { DashboardError, tooFast } from "./dashboard-error.ts";
import { json, type RequestContext, readJson } from "./request-context.ts";

/**
 * Asks better-auth. It gets what our pages send and nothing else: of its many fields some would open other ways in
 * (a sign-in by an ID token), some would be kept unread (names, pictures), and a form's body would hide an address
 * from the throttle. What it refuses leaves with a code and in words for people.
 */
export type AuthOrder = Record<string, string>;

/** The body as texts, of those fields alone; an address in it is trimmed and in lower case. */
export async function readOrder(
  context: RequestContext,
  fields: readonly string[],
): Promise<AuthOrder> {
  if (fields.length === 0) return {};
  const body = await readJson(context);
  const order: AuthOrder = {};
  for (const name of fields) {
    const value = body[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== "string") {
      throw new DashboardError("invalid_request", `\`${name}\` must be a text.`);
    }
    order[name] = name === "email" || name === "newEmail" ? readAddress(value) : value;
  }
  return order;
}

/** Thrown to be answered as it is: with a code of better-auth's, which the pages know. */
export class AuthError extends Error {
  readonly response: Response;

  constructor(code: string, message: string, status: number) {
    super(message);
    this.response = json({ code, message }, status);
  }
}

function readAddress(text: string): string {
  try {
    return readEmail(text);
  } catch (error) {
    if (error instanceof AccountError) throw notAnAddress();
    throw error;
  }
}

const notAnAddress = () =>
  new AuthError(
    "INVALID_EMAIL",
    "This is not a complete e-mail address. Write it like name@example.com.",
    400,
  );

/** At better-auth's own address, and with our word on where it comes from. */
export function askAuth(context: RequestContext, order: object | null): Promise<Response> {
  const { request, url } = context;
  return send(context, request.method, `${url.pathname}${order === null ? url.search : ""}`, order);
}

/** Our pages send the token of a link in a body, so that no log has it; better-auth takes it out of an address. */
export const askLink = (context: RequestContext, token: string): Promise<Response> =>
  send(context, "GET", `${context.url.pathname}?${new URLSearchParams({ token })}`, null);

async function send(
  context: RequestContext,
  method: string,
  path: string,
  order: object | null,
): Promise<Response> {
  const { deps, request, peer } = context;
  const headers = new Headers(request.headers);
  for (const name of [CLIENT_ADDRESS_HEADER, "content-length", "content-type"])
    headers.delete(name);
  if (peer !== null) headers.set(CLIENT_ADDRESS_HEADER, peer);
  if (order !== null) headers.set("Content-Type", "application/json");
  const address = `${deps.settings.publicUrl}${path}`;
  const body = order === null ? null : JSON.stringify(order);
  const response = await deps.auth.handle(new Request(address, { method, headers, body }));
  return response.status < 400 ? response : refuse(context, response);
}

async function refuse({ deps, requestId }: RequestContext, response: Response): Promise<Response> {
  const { status } = response;
  if (status === 429) throw tooFast(Number(response.headers.get("X-Retry-After")) * 1_000);
  const said = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  if (status >= 500) {
    deps.logError("The sign-in failed", { requestId });
    throw new DashboardError(
      "internal",
      "Something went wrong on our side. Try again in a moment.",
    );
  }
  const code = said?.["code"];
  const message = said?.["message"];
  // Every field is a text and there; what is left to dislike is the address.
  if (code === "VALIDATION_ERROR" && String(message).includes("mail")) throw notAnAddress();
  if (code === "VALIDATION_ERROR" || typeof code !== "string") {
    throw new DashboardError(
      "invalid_request",
      "Something in this request is missing or not right.",
    );
  }
  const made = json({ code, message: typeof message === "string" ? message : code }, status);
  for (const cookie of response.headers.getSetCookie()) made.headers.append("Set-Cookie", cookie);
  return made;
}

export const busy = () =>
  new DashboardError("unavailable", "The service is busy; nothing was changed. Try again.", 2);

export function keepCookies(made: Response, from: Response): Response {
  for (const cookie of from.headers.getSetCookie()) made.headers.append("Set-Cookie", cookie);
  return made;
}
