import type { RequestLogBounds } from "#accounts/request-log.ts";
import type { CallSettings } from "#calls/app-context.ts";
import {
  ConfigError,
  checkJurisdiction,
  readAddress,
  readBrand,
  readFreeCallCredits,
  readPublicUrl,
  readRateLimit,
  readRequestLog,
  readSecrets,
  textReader,
  wholeNumberReader,
} from "#config/read-settings.ts";
import { unknownSettings, warningsOfWorker } from "#config/setting-names.ts";
import { hostOf, isLoopback } from "#hosts.ts";

/**
 * Reads the few settings that calls need from the Worker's bindings. Throws a `ConfigError` that lists all invalid ones.
 * `warnings` name misspelled and ignored settings: the Worker logs them and keeps serving.
 */
export function readWorkerSettings(env: object): {
  settings: CallSettings;
  requestLog: RequestLogBounds;
  warnings: string[];
} {
  const texts = textsIn(env);
  const problems: string[] = [];
  const read = textReader(texts);
  const readNumber = wholeNumberReader(read, problems);
  const publicUrl = readPublicUrl(read("PUBLIC_URL"), problems);
  const secrets = readSecrets(read("SECRET"), problems);
  const brand = readBrand(read, problems);
  const rateLimit = readRateLimit(readNumber);
  const freeCallCredits = readFreeCallCredits(readNumber);
  // Objects read some of these settings themselves; the Worker validates them.
  const requestLog = readRequestLog(readNumber);
  checkJurisdiction(read, problems);
  requireEdgeSettings(texts, problems);
  if (problems.length > 0 || publicUrl === null || secrets === null) {
    throw new ConfigError(problems.join("\n"));
  }
  return {
    settings: { ...brand, publicUrl, secrets, rateLimit, freeCallCredits },
    requestLog,
    warnings: [
      ...unknownSettings(texts).map((name) => `Unknown setting ${name}`),
      ...warningsOfWorker(texts),
    ],
  };
}

/** Returns the text bindings of a Worker; settings are among them. */
export const textsIn = (env: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((each): each is [string, string] => typeof each[1] === "string"),
  );

/** Checks what both Workers require beyond the rules for every deployment. `config` is the Wrangler option that selects the Worker. */
export function requireEdgeSettings(
  texts: Record<string, string>,
  problems: string[],
  config = "",
): void {
  const read = textReader(texts);
  const publicUrl = read("PUBLIC_URL");
  const address = publicUrl === undefined ? null : readAddress(publicUrl);
  if (publicUrl === undefined) {
    problems.push("PUBLIC_URL must be set to the https URL of the service.");
  } else if (address?.startsWith("http:") && !isLoopback(hostOf(address))) {
    problems.push(
      "On Cloudflare, PUBLIC_URL must begin with https; users could not sign in otherwise.",
    );
  } else if (address !== null && new URL(address).pathname !== "/") {
    // On a server a proxy can strip the path; here nothing does.
    problems.push(
      "On Cloudflare, PUBLIC_URL must not have a path. Give the service its own host name.",
    );
  }
  if (read("SECRET") === undefined) {
    problems.push(`SECRET must be set. Run \`npx wrangler secret put SECRET${config}\`.`);
  }
}
