import { readFileSync } from "node:fs";
import path from "node:path";

/** What the Workers are deployed by, so that a test runs them as they are deployed. */
export type WranglerConfig = {
  name: string;
  main: string;
  workers_dev: boolean;
  compatibility_date: string;
  compatibility_flags?: string[];
  limits: { cpu_ms: number };
  durable_objects: { bindings: { name: string; class_name: string; script_name?: string }[] };
  d1_databases: { binding: string; database_name: string }[];
  services?: { binding: string; service: string }[];
  assets?: {
    directory: string;
    binding: string;
    run_worker_first: boolean;
    html_handling: "none";
    not_found_handling: "none";
  };
  triggers?: { crons: string[] };
};

const ROOT = path.join(import.meta.dirname, "../..");

/** A comment has its line to itself; anything else that is not JSON throws. */
const read = (file: string) =>
  JSON.parse(
    readFileSync(path.join(ROOT, file), "utf8").replaceAll(/^\s*\/\/.*$/gm, ""),
  ) as WranglerConfig;

export const callsConfig = read("wrangler.jsonc");
export const siteConfig = read("wrangler.site.jsonc");
export const COMPATIBILITY_DATE = callsConfig.compatibility_date;
