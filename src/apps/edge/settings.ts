import type { AppSettings } from "#api/app-context.ts";
import {
  ConfigError,
  givenIn,
  readFreeCallCredits,
  readPublicUrl,
  readRateLimit,
  readRollUpAfterDays,
  readSecrets,
  wholeReader,
} from "#config/read-settings.ts";
import { requireEdgeSettings, textsIn } from "./edge-settings.ts";

/** The `TOOLBOOTH_*` settings of the calls' Worker. */
const OWN = /^TOOLBOOTH_(?:FOLD_AFTER_DAYS|FREE_CALL_CREDITS)$/;
/** The others: on one's own machine both Workers are given the same texts. The table of all settings stays out of this Worker. */
const OF_OTHERS =
  /^TOOLBOOTH_(?:SIGN_UP|TRUSTED_PROXIES|(?:GITHUB|GOOGLE)_CLIENT_(?:ID|SECRET)|STARTER_(?:CREDITS|DAYS)|OPERATOR_TOKEN|PRICES|STRIPE_API|WEBHOOK_NETWORKS|REMOTE|LOG_LEVEL|TOOL_THREADS)$/;

/**
 * The few settings that the calls need, read from the texts that the Worker is bound to and checked as anywhere else. Throws a
 * `ConfigError` with all that is wrong. A name that is no setting is only told of: calls go on without it.
 */
export function readWorkerSettings(env: object): { settings: AppSettings; unknown: string[] } {
  const texts = textsIn(env);
  const faults: string[] = [];
  const given = givenIn(texts);
  const whole = wholeReader(given, faults);
  const publicUrl = readPublicUrl(given("PUBLIC_URL"), faults);
  const secrets = readSecrets(given("SECRET"), faults);
  const rateLimit = readRateLimit(whole);
  const freeCallCredits = readFreeCallCredits(whole);
  // Read by the object itself; what is wrong with it is found here.
  readRollUpAfterDays(whole);
  requireEdgeSettings(texts, faults);
  if (faults.length > 0 || publicUrl === null || secrets === null) {
    throw new ConfigError(faults.join("\n"));
  }
  const unknown = Object.keys(texts).filter(
    (name) => name.startsWith("TOOLBOOTH_") && !OWN.test(name) && !OF_OTHERS.test(name),
  );
  return { settings: { publicUrl, secrets, rateLimit, freeCallCredits }, unknown };
}
