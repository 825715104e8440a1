import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * The configuration of each Worker for Wrangler: `wrangler.jsonc` and `wrangler.site.jsonc` with what only a deployment knows, which
 * is the id of its database and its address. The committed files stay unchanged, so `git pull` never conflicts.
 */
export type WorkerConfig = {
  name: string;
  main: string;
  compatibility_date: string;
  compatibility_flags?: string[];
  limits: { cpu_ms: number };
  placement?: { mode: string };
  durable_objects: { bindings: { name: string; class_name: string; script_name?: string }[] };
  d1_databases: {
    binding: string;
    database_name: string;
    database_id: string;
    migrations_dir?: string;
  }[];
  services?: { binding: string; service: string }[];
  assets?: {
    directory: string;
    binding: string;
    run_worker_first: boolean;
    html_handling: "none";
    not_found_handling: "none";
  };
  alias?: Record<string, string>;
  build?: { command: string };
  triggers?: { crons: string[] };
  workers_dev: boolean;
  preview_urls: boolean;
  routes?: { pattern: string; custom_domain: true }[];
};

export const API_CONFIG = "wrangler.jsonc";
export const SITE_CONFIG = "wrangler.site.jsonc";

/** Reads a committed configuration. A comment has its line to itself; anything else that is not JSON throws. */
export const readWorkerConfig = (checkout: string, file: string): WorkerConfig =>
  JSON.parse(
    readFileSync(path.join(checkout, file), "utf8").replaceAll(/^\s*\/\/.*$/gm, ""),
  ) as WorkerConfig;

export type Target = {
  databaseId: string;
  /** The custom domains of the API Worker. Without one it is at workers.dev. */
  domains: readonly string[];
};

export type ConfigFiles = {
  /** The API Worker without the site Worker, for the first deployment: a binding to a Worker that does not exist is an error. */
  apiAlone: string;
  api: string;
  site: string;
};

/**
 * Names the generated files, relative to the checkout. Each settings file has its own, so that two deployments from one checkout, of a
 * trial and of the service itself, do not use each other's database.
 */
export function configFilesOf(settingsFile: string): ConfigFiles {
  const digest = createHash("sha256").update(path.resolve(settingsFile)).digest("hex");
  const folder = `.wrangler/deploy-edge/${path.parse(settingsFile).name}-${digest.slice(0, 8)}`;
  return {
    apiAlone: `${folder}/api-alone.json`,
    api: `${folder}/api.json`,
    site: `${folder}/site.json`,
  };
}

export function writeConfigs(checkout: string, files: ConfigFiles, target: Target): void {
  const api = withTarget(readWorkerConfig(checkout, API_CONFIG), checkout, target.databaseId);
  const site = withTarget(readWorkerConfig(checkout, SITE_CONFIG), checkout, target.databaseId);
  const { services: _, ...alone } = api;
  const write = (name: string, config: WorkerConfig) => {
    const file = path.join(checkout, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`);
  };
  // Without the site Worker it serves no pages yet, so it gets its address only at the end.
  write(files.apiAlone, { ...alone, workers_dev: false });
  write(files.api, {
    ...api,
    workers_dev: target.domains.length === 0,
    ...(target.domains.length > 0 && {
      routes: target.domains.map((pattern) => ({ pattern, custom_domain: true as const })),
    }),
  });
  write(files.site, site);
}

/** Wrangler resolves paths from the folder of the configuration. */
function withTarget(config: WorkerConfig, checkout: string, databaseId: string): WorkerConfig {
  const absolute = (file: string) => path.resolve(checkout, file);
  // The command runs the build as a step of its own.
  const { build: _, alias, assets, ...rest } = config;
  return {
    ...rest,
    main: absolute(config.main),
    d1_databases: config.d1_databases.map(({ migrations_dir, ...database }) => ({
      ...database,
      database_id: databaseId,
      ...(migrations_dir !== undefined && { migrations_dir: absolute(migrations_dir) }),
    })),
    ...(assets !== undefined && {
      assets: { ...assets, directory: absolute(assets.directory) },
    }),
    ...(alias !== undefined && {
      alias: Object.fromEntries(
        Object.entries(alias).map(([name, file]) => [name, absolute(file)]),
      ),
    }),
  };
}
