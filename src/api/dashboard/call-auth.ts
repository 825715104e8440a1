import * as z from "zod/mini";
import { AccountError, readEmail } from "#accounts/accounts.ts";
import { CLIENT_ADDRESS_HEADER, CLIENT_NETWORK_HEADER } from "#accounts/auth-hooks.ts";
import { signUpNetworkOf } from "#networks.ts";
import { AuthError, DashboardError, tooManyRequests } from "./dashboard-error.ts";
import { type RequestContext, readJson } from "./request-context.ts";

/**
 * The fields of a request to Better Auth. We pass on only the fields that our pages send: some of its other fields
 * would allow other ways to sign in (an ID token) or would be stored unused (names, pictures).
 */
export type AuthOrder = Record<string, string>;

const IS_EMAIL = z.email();

/** Reads `fields`, which are all text, from the body. Email addresses are trimmed and lowercased. */
export async function readOrder(
  context: RequestContext,
  fields: readonly string[],
): Promise<AuthOrder> {
  if (fields.length === 0) return {};
  const body = await readJson(context);
  const order: AuthOrder = {};
  for (const name of fields) {
    const value = body[name] ?? undefined;
    if (value !== undefined && typeof value !== "string") {
      throw new DashboardError("invalid_request", `\`${name}\` must be a string.`);
    }
    if (name === "email") order[name] = readAddress(value ?? "");
    else if (value !== undefined) order[name] = value;
  }
  return order;
}

function readAddress(text: string): string {
  try {
    const email = readEmail(text);
    if (IS_EMAIL.safeParse(email).success) return email;
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
  }
  throw new AuthError(
    "INVALID_EMAIL",
    "Enter a complete email address, such as name@example.com.",
    400,
  );
}

/**
 * Passes the request on to Better Auth, with `order` as its body. Throws an AuthError or a DashboardError for every
 * response that is an error.
 */
export function askAuth(context: RequestContext, order: object | null): Promise<Response> {
  const { request, url } = context;
  return send(context, request.method, `${url.pathname}${order === null ? url.search : ""}`, order);
}

/** Like `askAuth`, where the plugin uses another method than our pages. */
export const askAuthWith = (
  context: RequestContext,
  method: "GET" | "POST",
  order: object | null,
): Promise<Response> => send(context, method, context.url.pathname, order);

/** The headers of a request with what we know of its client, for the hooks of Better Auth. */
export function clientHeaders({ request, peer }: RequestContext): Headers {
  const headers = new Headers(request.headers);
  for (const name of [CLIENT_ADDRESS_HEADER, CLIENT_NETWORK_HEADER]) headers.delete(name);
  const network = signUpNetworkOf(peer);
  if (peer !== null) headers.set(CLIENT_ADDRESS_HEADER, peer);
  if (network !== null) headers.set(CLIENT_NETWORK_HEADER, network);
  return headers;
}

async function send(
  context: RequestContext,
  method: string,
  path: string,
  order: object | null,
): Promise<Response> {
  const { deps } = context;
  const headers = clientHeaders(context);
  for (const name of ["content-length", "content-type"]) headers.delete(name);
  if (order !== null) headers.set("Content-Type", "application/json");
  const address = `${deps.settings.publicUrl}${path}`;
  const body = order === null ? null : JSON.stringify(order);
  const response = await deps.auth.handle(new Request(address, { method, headers, body }));
  if (response.status >= 400) throw await problemOf(context, response);
  return response;
}

async function problemOf(
  { deps, requestId, cookies }: RequestContext,
  response: Response,
): Promise<AuthError | DashboardError> {
  const { status } = response;
  const body = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  const code = body?.["code"];
  const message = body?.["message"];
  if (status === 429) {
    return tooManyRequests(Number(response.headers.get("X-Retry-After") ?? 1) * 1_000);
  }
  // The plugin reports a response of the browser that is not valid as an error of its own.
  if (status >= 500 && code !== "FAILED_TO_VERIFY_REGISTRATION") {
    deps.logError("Better Auth failed", { requestId });
    return new DashboardError(
      "internal",
      "Something went wrong on our side. Try again in a moment.",
    );
  }
  if (code === "VALIDATION_ERROR" || typeof code !== "string") {
    return new DashboardError(
      "invalid_request",
      "A field of this request is missing or not valid. Check the form and try again.",
    );
  }
  cookies.push(...response.headers.getSetCookie());
  return new AuthError(code, typeof message === "string" ? message : code, status);
}

/** Adds the cookies of `from` to `response`. */
export function keepCookies(response: Response, from: Response): Response {
  for (const cookie of from.headers.getSetCookie()) response.headers.append("Set-Cookie", cookie);
  return response;
}
