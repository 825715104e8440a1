import { bytesToHex } from "@noble/hashes/utils.js";
import { OWN_TIME_LIMIT_MAX_MS, TOOL_TIMEOUT_MS } from "#limits.ts";
import { textIn } from "#tools/media-type.ts";
import type { CallBody } from "./call-plan.ts";

/** A call to the API of this service. The key is only ever in the header of this one request. */
export type ApiRequest = {
  tool: string;
  base: string;
  key: string;
  call: CallBody;
  /** Of a call that changes something. */
  idempotencyKey?: string;
  /** Only the price of the call is asked for. */
  isQuote?: boolean;
};

export type SentResponse = {
  status: number;
  headers: [name: string, value: string][];
  /** The body as it was sent. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Its text; empty if it is no text. */
  body: string;
  isText: boolean;
  tookMs: number;
};

/** The longest limit that a tool may have, and its wait for a thread. */
const TIMEOUT_MS = OWN_TIME_LIMIT_MAX_MS + TOOL_TIMEOUT_MS;

/**
 * Sends a call, and measures it from here to the last byte of its response. Throws an error whose message is for the user
 * where there is no response.
 */
export async function sendCall(
  { tool, base, key, call, idempotencyKey, isQuote = false }: ApiRequest,
  signal: AbortSignal,
): Promise<SentResponse> {
  const { body, contentType, query } = call;
  const started = performance.now();
  const path = isQuote ? `${tool}/quote` : tool;
  let response: Response;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    response = await fetch(`${base}/api/v1/${path}${query === "" ? "" : `?${query}`}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
        ...(body.byteLength > 0 && { "Content-Type": contentType }),
      },
      body: body.byteLength > 0 ? body : null,
      // The API knows callers by their key alone.
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    bytes = new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    const what = isQuote
      ? "Then check the price again."
      : idempotencyKey !== undefined
        ? "Then send the call again: it does its work once, and is charged once."
        : "The call may have been charged: check Credits before you send it again.";
    throw new Error(`The API did not respond. Check your connection. ${what}`, { cause });
  }
  const tookMs = performance.now() - started;
  if (response.ok && !response.headers.has("X-Request-Id")) throw new Error(NOT_OF_THE_API);
  const text = textIn(bytes, response.headers.get("content-type") ?? "text/plain");
  return {
    ...{ status: response.status, headers: [...response.headers], tookMs },
    ...{ bytes, body: text ?? "", isText: text !== null },
  };
}

/** A success without the id that the API gives every response. */
const NOT_OF_THE_API =
  "Something else responded in place of the API, such as the sign-in page of a network. Reload this page, then send the call again.";

/**
 * The idempotency keys of calls that change something. Each press of the button is a call of its own, except where it repeats one whose
 * outcome the page does not know: that must not do its work twice.
 */
export function createCallKeys() {
  let open: { call: CallBody; key: string } | null = null;
  return {
    keyOf(call: CallBody): string {
      if (open?.call !== call)
        open = { call, key: bytesToHex(crypto.getRandomValues(new Uint8Array(16))) };
      return open.key;
    },
    /** Takes the response to the call. Its key ends, unless an earlier attempt may still have done the work unseen. */
    end({ status, headers, body }: Pick<SentResponse, "status" | "headers" | "body">): void {
      const isOfApi = headers.some(([name]) => name === "x-request-id");
      const isRunning = status === 409 && body.includes("idempotency_in_progress");
      if (isOfApi && !isRunning && !UNDECIDED.includes(status)) open = null;
    },
  };
}

/** What the API responds before it looks at the idempotency key, and for a call whose outcome it does not know yet. */
const UNDECIDED: readonly number[] = [401, 403, 408, 429, 503];

/** What is wrong with a pasted key, or null. Headers take visible ASCII alone. */
export function keyFault(key: string): string | null {
  if (key === "") return "Paste an API key to call the API.";
  if (!/^[\x21-\x7e]+$/.test(key)) return "The key contains characters that no API key has.";
  return /^[a-z]{2,8}_/.test(key) ? null : "This does not look like an API key: copy it whole.";
}
