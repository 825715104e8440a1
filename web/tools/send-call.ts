import { bytesToHex } from "@noble/hashes/utils.js";
import { OWN_TIME_LIMIT_MAX_MS, TOOL_TIMEOUT_MS } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { CallBody } from "./call-plan.ts";

/** A call to the API of this service. The key is only ever in the header of this one request. */
export type ApiRequest = {
  tool: string;
  effect: Tool["effect"];
  base: string;
  key: string;
  call: CallBody;
  /** Only the price of the call is asked for. */
  isQuote?: boolean;
};

export type SentResponse = {
  status: number;
  headers: [name: string, value: string][];
  body: string;
  tookMs: number;
};

/** The longest limit that a tool may have, and its wait for a thread. */
const TIMEOUT_MS = OWN_TIME_LIMIT_MAX_MS + TOOL_TIMEOUT_MS;

/**
 * Sends a call, and measures it from here to the last byte of its response. Throws an error whose message is for the user
 * where there is no response.
 */
export async function sendCall(
  { tool, effect, base, key, call, isQuote = false }: ApiRequest,
  signal: AbortSignal,
): Promise<SentResponse> {
  const { body, contentType, query } = call;
  const started = performance.now();
  const path = isQuote ? `${tool}/quote` : tool;
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${base}/api/v1/${path}${query === "" ? "" : `?${query}`}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        // Each press of the button is a call of its own.
        ...(effect === "act" && !isQuote && { "Idempotency-Key": newIdempotencyKey() }),
        ...(body.byteLength > 0 && { "Content-Type": contentType }),
      },
      body: body.byteLength > 0 ? body : null,
      // The API knows callers by their key alone.
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    text = await response.text();
  } catch (cause) {
    const message =
      (cause as Error).name === "TimeoutError" && !isQuote
        ? "The API did not respond in time. The call may still be charged: check Credits, or send it again later."
        : "The API cannot be reached. Check your connection, then send the call again.";
    throw new Error(message, { cause });
  }
  const tookMs = performance.now() - started;
  if (response.ok && !response.headers.has("X-Request-Id")) throw new Error(NOT_OF_THE_API);
  return { status: response.status, headers: [...response.headers], body: text, tookMs };
}

/** A success without the id that the API gives every response. */
const NOT_OF_THE_API =
  "Something else responded in place of the API, such as the sign-in page of a network. Reload this page, then send the call again.";

const newIdempotencyKey = () => bytesToHex(crypto.getRandomValues(new Uint8Array(16)));

/** What is wrong with a pasted key, or null. Headers take visible ASCII alone. */
export function keyFault(key: string): string | null {
  if (key === "") return "Paste an API key to call the API.";
  if (!/^[\x21-\x7e]+$/.test(key)) return "The key contains characters that no API key has.";
  return /^[a-z]{2,8}_/.test(key) ? null : "This does not look like an API key: copy it whole.";
}
