import type { RequestLogBounds } from "#accounts/request-log.ts";
import type { AppSettings } from "#api/app-context.ts";
import {
  ConfigError,
  checkJurisdiction,
  readFreeCallCredits,
  readPublicUrl,
  readRateLimit,
  readRequestLog,
  readRollUpAfterDays,
  readSecrets,
  textReader,
  wholeNumberReader,
} from "#config/read-settings.ts";
import { unknownSettings, warningsOfWorker } from "#config/setting-names.ts";
import { requireEdgeSettings, textsIn } from "./edge-settings.ts";

/**
 * Reads the few settings that calls need from the Worker's bindings. Throws a `ConfigError` that lists all invalid ones.
 * `warnings` name misspelled and ignored settings: the Worker logs them and keeps serving.
 */
export function readWorkerSettings(env: object): {
  settings: AppSettings;
  requestLog: RequestLogBounds;
  warnings: string[];
} {
  const texts = textsIn(env);
  const problems: string[] = [];
  const read = textReader(texts);
  const readNumber = wholeNumberReader(read, problems);
  const publicUrl = readPublicUrl(read("PUBLIC_URL"), problems);
  const secrets = readSecrets(read("SECRET"), problems);
  const rateLimit = readRateLimit(readNumber);
  const freeCallCredits = readFreeCallCredits(readNumber);
  // Objects read some of these settings themselves; the Worker validates them.
  const requestLog = readRequestLog(readNumber);
  readRollUpAfterDays(readNumber);
  checkJurisdiction(read, problems);
  requireEdgeSettings(texts, problems);
  if (problems.length > 0 || publicUrl === null || secrets === null) {
    throw new ConfigError(problems.join("\n"));
  }
  return {
    settings: { publicUrl, secrets, rateLimit, freeCallCredits },
    requestLog,
    warnings: [
      ...unknownSettings(texts).map((name) => `Unknown setting ${name}`),
      ...warningsOfWorker(texts),
    ],
  };
}
