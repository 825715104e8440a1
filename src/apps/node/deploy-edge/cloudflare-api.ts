import { setTimeout as sleep } from "node:timers/promises";
import type { CloudflareAccess } from "./arguments.ts";
import { DeployError, Interrupted } from "./deploy-error.ts";

/** Requests to Cloudflare's API for what Wrangler has no command for, or none whose output a program can read. */
export type CloudflareApi = {
  get<Result>(path: string): Promise<Result>;
  /** Sends a POST request. */
  send<Result>(path: string, body: unknown): Promise<Result>;
};

/** An error response of the API. */
export class CloudflareError extends DeployError {
  readonly status: number;
  readonly code: number | undefined;

  constructor(status: number, code: number | undefined, message: string, advice: string) {
    super(message, advice);
    this.status = status;
    this.code = code;
  }
}

const RESPONSE_TIMEOUT_MS = 30_000;
/** Pauses before a read is tried again. A write is tried once; the next run of the command finds what it did. */
const RETRY_PAUSES_MS = [500, 2_000];
/** Error codes of tokens that are malformed, unknown or expired. */
const BAD_TOKEN_CODES = [1000, 6003, 6111, 9106, 9109];
const BAD_ACCOUNT_CODES = [7000, 7003];

type Body = {
  success?: boolean;
  result?: unknown;
  errors?: { code?: number; message?: string }[];
};

export function createCloudflareApi(access: CloudflareAccess, signal: AbortSignal): CloudflareApi {
  async function request(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${access.apiUrl}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${access.token}`,
          ...(body !== undefined && { "Content-Type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // Following a redirect would send the token to another server.
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
      });
      text = await response.text();
    } catch (error) {
      if (signal.aborted) throw new Interrupted();
      const { message, cause } = error as Error;
      throw new DeployError(
        `Cloudflare's API at ${access.apiUrl} did not respond (${(cause as Error | undefined)?.message ?? message}).`,
        "Check the network connection.",
        { cause: error },
      );
    }
    const parsed = parse(text);
    if (response.ok && parsed?.success === true) return parsed.result;
    throw explain(method, path, response.status, parsed);
  }

  async function read(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await request(method, path, body);
      } catch (error) {
        const pauseMs = RETRY_PAUSES_MS[tries];
        if (pauseMs === undefined || error instanceof Interrupted || isLasting(error)) throw error;
        await sleep(pauseMs, undefined, { signal }).catch(() => {
          throw new Interrupted();
        });
      }
    }
  }

  return {
    get: async <Result>(path: string) => (await read("GET", path)) as Result,
    send: async <Result>(path: string, body: unknown) =>
      (await request("POST", path, body)) as Result,
  };
}

/** Runs a read; resolves to null if what it asks for does not exist. */
export async function unlessMissing<Result>(
  request: Promise<Result>,
  missingCodes: readonly number[],
): Promise<Result | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof CloudflareError && missingCodes.includes(error.code ?? 0)) return null;
    throw error;
  }
}

const isLasting = (error: unknown) =>
  error instanceof CloudflareError && error.status < 500 && error.status !== 429;

function parse(text: string): Body | null {
  try {
    return JSON.parse(text) as Body | null;
  } catch {
    return null;
  }
}

function explain(method: string, path: string, status: number, body: Body | null): CloudflareError {
  const { code, message = "no reason given" } = body?.errors?.[0] ?? {};
  const failed = `Cloudflare responded to ${method} ${path.split("?")[0]} with status ${status}: ${message}${code === undefined ? "" : ` (code ${code})`}.`;
  return new CloudflareError(status, code, failed, adviceFor(status, code));
}

function adviceFor(status: number, code: number | undefined): string {
  if (status === 401 || BAD_TOKEN_CODES.includes(code ?? 0))
    return "CLOUDFLARE_API_TOKEN is not valid. Check that the token was copied completely and has not expired.";
  if (BAD_ACCOUNT_CODES.includes(code ?? 0) || status === 404)
    return "Check CLOUDFLARE_ACCOUNT_ID. The dashboard shows the id of the account at Workers & Pages.";
  if (status === 403)
    return "The token may not do this in the account. It needs Workers Scripts: Edit and D1: Edit for the account, and for a domain Workers Routes: Edit and Zone: Read for its zone. Check CLOUDFLARE_ACCOUNT_ID too.";
  if (status === 429) return "Wait five minutes: Cloudflare limits the requests of an account.";
  if (status >= 500) return "Try again later. https://www.cloudflarestatus.com lists outages.";
  return "Correct what Cloudflare names.";
}
