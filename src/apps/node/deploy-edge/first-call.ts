import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { newAccountId, newKeyId, randomBase62 } from "#ids.ts";
import { createHttpClient } from "../../cli/remote/client.ts";
import { random } from "../runtime.ts";
import type { FetchService } from "./connect-to.ts";
import { DeployError, Interrupted } from "./deploy-error.ts";

/** Checks of the deployed service: ready, and a call with a key. */

const READY_PAUSE_MS = 2_000;
/** How often the operator sees the last result while the service is not ready. */
const READY_REPORT_MS = 30_000;
/** Credits of the first account. Its calls of this check cost one each. */
const FIRST_CREDITS = 1_000;
const KEY_LABEL = "deploy:edge";

/** Resolves to the time it took when `/readyz` says that calls succeed. A new domain first needs a DNS record and a certificate. */
export async function waitUntilReady(
  url: string,
  fetchService: FetchService,
  { waitMs, signal, say }: { waitMs: number; signal: AbortSignal; say(text: string): void },
): Promise<number> {
  const started = performance.now();
  let reportMs = READY_REPORT_MS;
  for (;;) {
    const attempt = await ask(`${url}/readyz`, fetchService);
    if (signal.aborted) throw new Interrupted();
    const elapsedMs = performance.now() - started;
    if (attempt.isReady) return elapsedMs;
    if (elapsedMs + READY_PAUSE_MS > waitMs) {
      throw new DeployError(
        `${url}/readyz was not ready after ${Math.round(waitMs / 1_000)} s. Last result: ${attempt.result}`,
        attempt.advice,
      );
    }
    if (elapsedMs >= reportMs) {
      say(`      not ready after ${Math.round(elapsedMs / 1_000)} s: ${attempt.result}`);
      reportMs += READY_REPORT_MS;
    }
    await sleep(READY_PAUSE_MS, undefined, { signal }).catch(() => {
      throw new Interrupted();
    });
  }
}

type Attempt = { isReady: boolean; result: string; advice: string };

async function ask(url: string, fetchService: FetchService): Promise<Attempt> {
  try {
    const response = await fetchService(url);
    const body = (await response.text()).trim();
    const { detail: text = body } = (parse(body) ?? {}) as { detail?: string };
    return {
      isReady: response.status === 200,
      result: `status ${response.status}${text === "" ? "" : `, ${printable(text)}`}`,
      advice:
        "Both Workers are deployed. `npx wrangler tail toolbooth` and `npx wrangler tail toolbooth-site` show what they log. --wait sets how long to wait.",
    };
  } catch (error) {
    const { message, cause } = error as Error;
    const { code, message: detail } = (cause ?? error) as NodeJS.ErrnoException;
    return {
      isReady: false,
      result: `no response (${code ?? detail ?? message}).`,
      advice:
        code === "ENOTFOUND" || code === "EAI_AGAIN"
          ? "Both Workers are deployed, but this machine cannot resolve the name. Its resolver may have remembered for up to half an hour that the name does not exist. --connect-to checks with an address that another resolver gives."
          : "Both Workers are deployed. A new domain gets its certificate after some minutes: --wait sets how long to wait.",
    };
  }
}

/** Without control characters, because the text comes from the network and goes to a terminal. */
const printable = (text: string) => text.replaceAll(/\p{Cc}+/gu, " ").slice(0, 300);

export type FirstKey = { account: "created" | "found"; key: string };

/** Creates a key for the account of this address, and the account if there is none. */
export async function createFirstKey(
  remote: { url: string; token: string },
  email: string,
  fetchService: FetchService,
): Promise<FirstKey> {
  const client = createHttpClient(remote, undefined, fetchService);
  const now = Date.now();
  const found = await client.findAddress({ email });
  // Also for an address whose account was not completed: opening it again completes it.
  const isOpen =
    found !== null && (await client.findAccount({ account: found.account, now })) !== null;
  const account =
    isOpen && found !== null
      ? found.account
      : (
          await client.openAccount({
            account: newAccountId(random),
            email,
            now,
            credits: { grant: `operator:${randomBase62(16, random)}`, amount: FIRST_CREDITS },
          })
        ).account;
  const order = { account, id: newKeyId(account, random), label: KEY_LABEL, limits: null, now };
  const { key } = await client.createKey(order);
  return { account: isOpen ? "found" : "created", key };
}

/** Makes a call and checks its result. Resolves to the credits that it cost and that are left. */
export async function makeCall(
  url: string,
  key: string,
  fetchService: FetchService,
): Promise<{ charged: string; remaining: string }> {
  const text = `A call of npm run deploy:edge, ${randomUUID()}`;
  const response = await fetchService(`${url}/api/v1/hash`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ text, algorithm: "sha256" }),
  }).catch((error: Error) => {
    throw new DeployError(`The call got no response (${error.message}).`, "Run the command again.");
  });
  const body = await response.text();
  const hash = createHash("sha256").update(text).digest("hex");
  if (response.status === 200 && (parse(body) as { hash?: unknown } | null)?.hash === hash) {
    return {
      charged: response.headers.get("credits-charged") ?? "?",
      remaining: response.headers.get("credits-remaining") ?? "?",
    };
  }
  const { detail = body } = (parse(body) ?? {}) as { detail?: string };
  throw new DeployError(
    `A call of hash got status ${response.status}${response.status === 200 ? ", but a wrong result" : ""}: ${printable(detail)}`,
    ADVICE[response.status] ?? "`npx wrangler tail toolbooth` shows what the Worker logs.",
  );
}

const ADVICE: Record<number, string> = {
  401: "The deployed Workers do not accept TOOLBOOTH_KEY of the settings file: it was revoked, or it was made under another SECRET than the one that is deployed. Remove TOOLBOOTH_KEY from the file and run the command with --account to create another key. If you have the SECRET of the earlier keys, put it into the file and run the command with --replace-secret.",
  402: "The account has no credits left. Grant some with the command `credits grant`, or remove TOOLBOOTH_KEY from the settings file.",
  403: "The account is suspended, or the key has limits. Resume it, or remove TOOLBOOTH_KEY from the settings file.",
};

function parse(text: string): object | null {
  try {
    return JSON.parse(text) as object | null;
  } catch {
    return null;
  }
}
