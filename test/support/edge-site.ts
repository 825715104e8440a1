/** The service as on Cloudflare, in one workerd: both Workers as they are deployed, Durable Objects, D1, assets, and an email provider. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import path from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { Email } from "postal-mime";
import { buildCloudflare } from "#apps/node/build-cloudflare.ts";
import { accountPart } from "#ids.ts";
import type { Received } from "../email/smtp-fixture.ts";
import { bundleWorker } from "../http/edge.ts";
import { applyMigrations } from "../stores/sql/d1-fixture.ts";
import type { TestSite } from "./dashboard-site.ts";
import { freePort, listen } from "./ports.ts";
import { callsConfig, siteConfig, type WranglerConfig } from "./wrangler-config.ts";

type Hooks = { after(close: () => unknown): void };

export type EdgeSite = TestSite & {
  miniflare: Miniflare;
  /** The origin of PUBLIC_URL, from which the pages send their requests. */
  origin: string;
  /** The Worker of the calls without the simulator's own in front, which would read what ours leave unread. */
  directPort: number;
  /** What the Workers wrote to their console, a line each. */
  logs: string[];
  /** Who takes the letters: the settings that lead there, and what it answers from now on. */
  provider: { texts: Record<string, string>; responses(status: number): void };
  /** The cron comes, as at this time. */
  cron(at?: number): Promise<void>;
  /** Rows of D1. */
  sql(query: string): Promise<object[]>;
  /** Rows of an account's object. */
  ledgerRows(account: string, query: string): Promise<object[]>;
};

export type EdgeSettings = {
  /** Settings beside those that a site needs; undefined takes one away. */
  texts?: Record<string, string | undefined>;
  /** Settings of tools, which both Workers have. */
  secrets?: Record<string, string>;
  /** A file below `test/` whose module stands before both Workers and imports the Worker itself from `worker.mjs`. */
  around?: string;
  /** The folder of a project that was built for Cloudflare. By default this checkout. */
  project?: string;
  /** D1 as it is before its migrations. */
  isBare?: boolean;
};

/** Miniflare's own types for this come with a package that we do without. */
type Scheduled = { scheduled(given: { scheduledTime: Date; cron: string }): Promise<unknown> };

const ROOT = path.join(import.meta.dirname, "../..");

export async function openEdgeSite(t: Hooks, settings: EdgeSettings = {}): Promise<EdgeSite> {
  // PUBLIC_URL has to be known before the site stands.
  const [provider, port, project, around] = await Promise.all([
    ...([openProvider(t), freePort(), settings.project ?? buildCheckout()] as const),
    settings.around === undefined ? null : bundleWorker(settings.around, ["worker.mjs"]),
  ]);
  const base = `http://127.0.0.1:${port}`;
  const given = {
    SECRET: "the secret of a service in a test",
    PUBLIC_URL: base,
    ...provider.texts,
    ...settings.texts,
  };
  const texts = Object.fromEntries(
    Object.entries(given).filter((each): each is [string, string] => each[1] !== undefined),
  );
  const logs: string[] = [];
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      host: "127.0.0.1",
      port,
      cf: false,
      unsafeInspectDurableObjects: true,
      handleStructuredLogs: ({ message }) => void logs.push(message),
      workers: workersOf(project, texts, settings.secrets ?? {}, around?.code ?? null),
    }),
    unsafeTriggerHandlers: true,
  });
  t.after(() => miniflare.dispose());
  await miniflare.ready;
  if (settings.isBare !== true) {
    await applyMigrations(await miniflare.getD1Database("DB", "toolbooth-site"));
  }
  return {
    base,
    origin: new URL(texts["PUBLIC_URL"] ?? base).origin,
    miniflare,
    directPort: Number((await miniflare.unsafeGetDirectURL(callsConfig.name)).port),
    logs,
    provider,
    emails: provider.emails,
    async sql(query) {
      const database = await miniflare.getD1Database("DB", "toolbooth-site");
      return (await database.prepare(query).all()).results as object[];
    },
    async ledgerRows(account, query) {
      const object = { name: accountPart(account) };
      const storage = await miniflare.unsafeGetDurableObjectStorage(
        ...(["toolbooth", "AccountLedger", object] as const),
      );
      return (await storage.exec(query)) as object[];
    },
    async cron(at = Date.now()) {
      const worker = (await miniflare.getWorker("toolbooth-site")) as unknown as Scheduled;
      const [cron = ""] = siteConfig.triggers?.crons ?? [];
      await worker.scheduled({ scheduledTime: new Date(at), cron });
    },
  };
}

function workersOf(
  project: string,
  texts: Record<string, string>,
  secrets: Record<string, string>,
  around: string | null,
) {
  const { SECRET = "", PUBLIC_URL = "", RATE_LIMIT = "100" } = texts;
  const { TOOLBOOTH_JURISDICTION = "" } = texts;
  const ofCalls = { SECRET, PUBLIC_URL, RATE_LIMIT, TOOLBOOTH_JURISDICTION, ...secrets };
  return [
    deployed(callsConfig, project, ofCalls, around),
    deployed(siteConfig, project, { ...texts, ...secrets }, around),
  ];
}

/** The modules beside the main one, which comes first. */
function modulesOf(main: string, around: string | null) {
  const module = (path: string, contents: string) => ({
    ...{ type: "ESModule" as const, path, contents },
  });
  const folder = path.dirname(main);
  const names = readdirSync(folder).filter((name) => name !== path.basename(main));
  const read = (name: string) => readFileSync(path.join(folder, name), "utf8");
  const own = [
    module("worker.mjs", read(path.basename(main))),
    ...names.map((name) => module(name, read(name))),
  ];
  return around === null ? own : [module("around.mjs", around), ...own];
}

/** A Worker with all that the file binds it to by which it is deployed. */
function deployed(
  config: WranglerConfig,
  project: string,
  texts: Record<string, string>,
  around: string | null,
) {
  const { name, main, assets, services = [] } = config;
  const objects = config.durable_objects.bindings.map(
    (each): [string, { className: string; useSQLite: true; scriptName?: string }] => [
      each.name,
      {
        className: each.class_name,
        useSQLite: true,
        ...(each.script_name !== undefined && { scriptName: each.script_name }),
      },
    ],
  );
  return {
    name,
    modules: modulesOf(path.join(project, main), around),
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags ?? [],
    bindings: texts,
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    durableObjects: Object.fromEntries(objects),
    d1Databases: Object.fromEntries(
      config.d1_databases.map((each) => [each.binding, each.database_name]),
    ),
    serviceBindings: Object.fromEntries(services.map(({ binding, service }) => [binding, service])),
    ...(assets !== undefined && { assets: assetsOf(project, assets) }),
  };
}

const assetsOf = (project: string, assets: NonNullable<WranglerConfig["assets"]>) => {
  const { directory, binding, run_worker_first, html_handling, not_found_handling } = assets;
  return {
    directory: path.join(project, directory),
    binding,
    run_worker_first,
    routerConfig: { has_user_worker: true },
    assetConfig: { html_handling, not_found_handling },
  };
};

let built: Promise<unknown> | undefined;

/** What this checkout deploys, once for a process. Returns the folder of the project. */
async function buildCheckout(): Promise<string> {
  built ??= buildCloudflare(
    ROOT,
    { builtInTools: null, dataDir: path.join(ROOT, "data") },
    () => {},
  );
  await built;
  return ROOT;
}

/** Takes letters as Resend does; what it takes looks as if it had come by SMTP. */
async function openProvider(t: Hooks) {
  const emails: Received[] = [];
  const token = "re_of_a_test";
  const seen = new Set<string>();
  let status = 200;
  const server = createServer(async (request, response) => {
    const body = await readAll(request);
    const name = String(request.headers["idempotency-key"]);
    const isGood = request.headers.authorization === `Bearer ${token}` && name.startsWith("<eml_");
    if (isGood && status === 200 && !seen.has(name)) {
      seen.add(name);
      const { from, to, subject, text, html } = JSON.parse(body) as Record<string, string>;
      const email = { subject, text, html } as unknown as Email;
      emails.push({ from: from ?? "", to: [to ?? ""].flat(), raw: body, email });
    }
    response.writeHead(isGood ? status : 401, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ id: name }));
  });
  const port = await listen(server);
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const responses = (next: number) => {
    status = next;
  };
  const texts = {
    MAIL_API_URL: `http://127.0.0.1:${port}/emails`,
    MAIL_API_TOKEN: token,
    MAIL_FROM: "Toolbooth <post@toolbooth.example>",
  };
  return { emails, texts, responses };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
