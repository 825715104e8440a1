import path from "node:path";
import {
  API_CONFIG,
  readWorkerConfig,
  SITE_CONFIG,
  type WorkerConfig,
} from "#apps/node/deploy-edge/worker-configs.ts";

/** What the Workers are deployed by, so that a test runs them as they are deployed. */
export type WranglerConfig = WorkerConfig;

const ROOT = path.join(import.meta.dirname, "../..");

export const callsConfig = readWorkerConfig(ROOT, API_CONFIG);
export const siteConfig = readWorkerConfig(ROOT, SITE_CONFIG);
export const COMPATIBILITY_DATE = callsConfig.compatibility_date;
