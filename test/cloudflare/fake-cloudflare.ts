/**
 * A local stand-in for Cloudflare's API, as far as a deployment uses it. It is as strict as the documentation and Wrangler's own code
 * say the platform is, keeps what it gets, and runs the uploaded Workers in workerd.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { unstable_splitSqlQuery as splitSql } from "wrangler";
import { ApiProblem } from "./api-error.ts";
import { createAssetStore } from "./assets.ts";
import { type DeployedService, serveDeployed } from "./deployed-workers.ts";
import { deployVersion, md5, readUpload, type Script, type Surroundings } from "./scripts.ts";

export const TOKEN = "a-token-of-a-test-0123456789abcdef0123456789";
export const ACCOUNT = "0123456789abcdef0123456789abcdef";
export const OTHER_ACCOUNT = "fedcba9876543210fedcba9876543210";

export type Domain = { id: string; hostname: string; service: string; zone_name: string };
export type Zone = { id: string; name: string; status: string; account: { id: string } };

export type FakeCloudflare = {
  url: string;
  port: number;
  service: DeployedService;
  scripts: Map<string, Script>;
  /** Names by id. */
  databases: Map<string, string>;
  domains: Domain[];
  zones: Zone[];
  /** Host names that have DNS records. */
  dnsRecords: Set<string>;
  account: { subdomain: string | null; isPaid: boolean };
  /** `METHOD path` of each request, in order. */
  requests: string[];
  /** Requests that no route is for. */
  unknown: string[];
  /** Requests that match get this error instead, so many times. */
  fail(match: RegExp, status: number, code: number, times?: number): void;
  /** Holds the next request that matches. Resolves when it has arrived, to the function that lets it continue. */
  hold(match: RegExp): Promise<() => void>;
  /** What all domains respond instead of the Worker; null: the Worker. */
  respond(instead: { status: number; text: string } | null): void;
  secretsOf(script: string): Record<string, string>;
  close(): Promise<void>;
};

type Request = {
  method: string;
  path: string;
  query: URLSearchParams;
  incoming: IncomingMessage;
  json<Value>(): Promise<Value>;
  form(): Promise<FormData>;
  bytes(): Promise<Buffer>;
};

type Handler = (request: Request, ...parts: string[]) => Promise<unknown> | unknown;

/** A result with another status than 200. */
class Result {
  readonly status: number;
  readonly result: unknown;
  constructor(status: number, result: unknown) {
    this.status = status;
    this.result = result;
  }
}

export async function openFakeCloudflare(): Promise<FakeCloudflare> {
  const scripts = new Map<string, Script>();
  const databases = new Map<string, string>();
  const domains: Domain[] = [];
  const zones: Zone[] = [
    { id: "1".repeat(32), name: "example.com", status: "active", account: { id: ACCOUNT } },
  ];
  const dnsRecords = new Set<string>();
  const account: FakeCloudflare["account"] = { subdomain: "acme", isPaid: true };
  const requests: string[] = [];
  const unknown: string[] = [];
  const faults: { match: RegExp; problem: ApiProblem; times: number }[] = [];
  const holds: { match: RegExp; arrived: (resume: () => void) => void }[] = [];
  const assets = createAssetStore();
  const uploads = new Map<string, Buffer>();
  const uploadToken = randomBytes(16).toString("hex");
  let instead: { status: number; text: string } | null = null;

  const service = await serveDeployed({
    scripts,
    databases,
    scriptFor: (host) =>
      domains.find(({ hostname }) => hostname === host)?.service ??
      [...scripts.values()].find(
        ({ name, subdomain }) =>
          subdomain.enabled && host === `${name}.${account.subdomain}.workers.dev`,
      )?.name,
    override: () => instead,
  });

  const around = (): Surroundings => ({
    scripts,
    hasDatabase: (id) => databases.has(id),
    assetsOf: assets.filesOf,
    isPaid: account.isPaid,
  });
  const scriptOf = (name: string): Script => {
    const script = scripts.get(name);
    if (script !== undefined) return script;
    throw new ApiProblem(404, 10_007, "This Worker does not exist on your account.");
  };
  const databaseOf = (id: string): string => {
    if (databases.has(id)) return id;
    throw new ApiProblem(404, 7_404, `The database ${id} could not be found`);
  };

  async function runSql(id: string, statements: readonly string[]) {
    try {
      return await service.query(id, statements);
    } catch (error) {
      throw new ApiProblem(400, 7_500, (error as Error).message);
    }
  }

  const of = `/accounts/${ACCOUNT}`;
  const routes: [string, Handler][] = [
    ["GET /accounts", () => [{ id: ACCOUNT, name: "Acme" }]],
    ["GET /zones", ({ query }) => zones.filter(({ name }) => name === query.get("name"))],
    [
      `GET ${of}/workers/subdomain`,
      () => {
        if (account.subdomain !== null) return { subdomain: account.subdomain };
        throw new ApiProblem(404, 10_007, "You do not have a workers.dev subdomain.");
      },
    ],
    // D1
    [
      `GET ${of}/d1/database`,
      ({ query }) =>
        [...databases]
          .filter(([, name]) => name.includes(query.get("name") ?? ""))
          .map(([uuid, name]) => ({ uuid, name, version: "production" })),
    ],
    [
      `POST ${of}/d1/database`,
      async (request) => {
        const { name } = await request.json<{ name: string }>();
        if ([...databases.values()].includes(name))
          throw new ApiProblem(400, 7_502, `A database with the name '${name}' already exists.`);
        const uuid = randomUUID();
        databases.set(uuid, name);
        service.change();
        return { uuid, name };
      },
    ],
    [
      `GET ${of}/d1/database/*`,
      (_, id) => ({ uuid: databaseOf(id ?? ""), name: databases.get(id ?? "") }),
    ],
    [
      `POST ${of}/d1/database/*/query`,
      async (request, id) => {
        const { sql } = await request.json<{ sql: string }>();
        // D1 cuts a query at semicolons. A trigger among other statements is cut in two.
        if (/\bCREATE TRIGGER\b/i.test(sql) && splitSql(sql).length > 1)
          throw new ApiProblem(400, 7_500, "incomplete input: SQLITE_ERROR");
        return runSql(databaseOf(id ?? ""), splitSql(sql));
      },
    ],
    [
      `POST ${of}/d1/database/*/import`,
      async (request, id) => {
        const database = databaseOf(id ?? "");
        const body = await request.json<{ action: string; etag?: string; filename?: string }>();
        const { action, etag = "", filename = "" } = body;
        if (action === "init") {
          const upload_url = `http://127.0.0.1:${port()}/upload/${etag}?token=${uploadToken}`;
          return { success: true, upload_url, filename: etag, messages: [] };
        }
        const file = uploads.get(filename);
        if (action !== "ingest" || file === undefined || md5(file) !== etag)
          throw new ApiProblem(400, 7_500, "The file to import was not uploaded");
        uploads.delete(filename);
        const statements = splitSql(file.toString());
        await runSql(database, statements);
        return {
          success: true,
          type: "import",
          status: "complete",
          messages: [],
          errors: [],
          result: {
            num_queries: statements.length,
            final_bookmark: "0",
            meta: { duration: 1, rows_read: 0, rows_written: 0, size_after: 0, served_by: "test" },
          },
        };
      },
    ],
    // Workers
    [
      `GET ${of}/workers/services/*`,
      (_, name) => {
        const { migrationTag } = scriptOf(name ?? "");
        const script = { tag: "t", tags: [], last_deployed_from: "wrangler" };
        return {
          default_environment: {
            environment: "production",
            script: { ...script, migration_tag: migrationTag ?? undefined },
          },
        };
      },
    ],
    [
      `GET ${of}/workers/scripts`,
      () =>
        [...scripts.values()].map(({ name, migrationTag }) => ({
          id: name,
          ...(migrationTag !== null && { migration_tag: migrationTag }),
        })),
    ],
    [
      `GET ${of}/workers/scripts/*/settings`,
      (_, name) => ({
        bindings: scriptOf(name ?? "").deployed.bindings.map(({ type, name, text, ...rest }) =>
          // Secrets cannot be read.
          type === "secret_text" ? { type, name } : { type, name, text, ...rest },
        ),
      }),
    ],
    [
      `GET ${of}/workers/scripts/*/secrets`,
      (_, name) =>
        scriptOf(name ?? "")
          .deployed.bindings.filter(({ type }) => type === "secret_text")
          .map(({ name, type }) => ({ name, type })),
    ],
    [
      `PATCH ${of}/workers/scripts/*/secrets-bulk`,
      async (request, name) => {
        const script = scriptOf(name ?? "");
        const { secrets } = await request.json<{
          secrets: Record<string, { text: string } | null>;
        }>();
        const bindings = script.deployed.bindings.filter((each) => !(each.name in secrets));
        for (const [secret, value] of Object.entries(secrets)) {
          if (value !== null)
            bindings.push({ type: "secret_text", name: secret, text: value.text });
        }
        deployVersion(
          scripts,
          script.name,
          { ...script.deployed, id: randomUUID(), bindings },
          null,
        );
        service.change();
        return {};
      },
    ],
    [
      `GET ${of}/workers/scripts/*/deployments`,
      (_, name) => ({ deployments: scriptOf(name ?? "").deployments }),
    ],
    [
      `POST ${of}/workers/scripts/*/assets-upload-session`,
      async (request, name) => {
        const { manifest } = await request.json<{ manifest: Parameters<typeof assets.open>[1] }>();
        return assets.open(name ?? "", manifest);
      },
    ],
    [
      `POST ${of}/workers/assets/upload`,
      async (request) => {
        const { result, status } = await assets.upload(
          request.incoming.headers.authorization,
          await request.form(),
        );
        return new Result(status, result);
      },
    ],
    [
      `PUT ${of}/workers/scripts/*`,
      async (request, name = "") => {
        const form = await request.form();
        const { version, metadata } = await readUpload(form, scripts.get(name), name, around());
        deployVersion(scripts, name, version, metadata);
        service.change();
        return {
          id: name,
          tag: "t",
          etag: version.id,
          startup_time_ms: 1,
          deployment_id: version.id.replaceAll("-", ""),
        };
      },
    ],
    [
      `POST ${of}/workers/scripts/*/versions`,
      async (request, name = "") => {
        const script = scriptOf(name);
        const { version } = await readUpload(await request.form(), script, name, around());
        script.versions.push(version);
        return {
          id: version.id,
          startup_time_ms: 1,
          metadata: { has_preview: false },
          resources: { script: { etag: version.id } },
        };
      },
    ],
    [
      `POST ${of}/workers/scripts/*/deployments`,
      async (request, name = "") => {
        const script = scriptOf(name);
        const body = await request.json<{
          strategy: string;
          versions: { version_id: string; percentage: number }[];
        }>();
        const [only] = body.versions;
        const version = script.versions.find(({ id }) => id === only?.version_id);
        if (version === undefined || only?.percentage !== 100 || body.strategy !== "percentage")
          throw new ApiProblem(400, 10_021, "The deployment names no version of this Worker");
        deployVersion(scripts, name, version, null);
        service.change();
        return { id: randomUUID() };
      },
    ],
    [
      `PATCH ${of}/workers/scripts/*/script-settings`,
      (_, name) => ({ id: scriptOf(name ?? "").name }),
    ],
    [
      `GET ${of}/workers/workers/*`,
      (_, name) => ({ name, subdomain: scriptOf(name ?? "").subdomain }),
    ],
    [
      `POST ${of}/workers/scripts/*/subdomain`,
      async (request, name) => {
        const script = scriptOf(name ?? "");
        const wanted = await request.json<Script["subdomain"]>();
        if (typeof wanted.enabled !== "boolean" || typeof wanted.previews_enabled !== "boolean")
          throw new ApiProblem(400, 10_021, "enabled and previews_enabled must be booleans");
        script.subdomain = wanted;
        return wanted;
      },
    ],
    [
      `PUT ${of}/workers/scripts/*/schedules`,
      async (request, name) => {
        const schedules = await request.json<{ cron: string }[]>();
        scriptOf(name ?? "").schedules = schedules.map(({ cron }) => cron);
        return { schedules };
      },
    ],
    // Custom domains
    [
      `GET ${of}/workers/domains`,
      ({ query }) =>
        domains.filter(
          ({ hostname, service }) =>
            (query.get("hostname") ?? hostname) === hostname &&
            (query.get("service") ?? service) === service,
        ),
    ],
    [
      `POST ${of}/workers/scripts/*/domains/changeset`,
      async (request, name = "") => {
        scriptOf(name);
        const wanted = (await request.json<{ hostname: string }[]>()).map((each) => each.hostname);
        const known = domains.map(({ hostname }) => hostname);
        const own = domains.filter(({ service }) => service === name);
        return {
          added: wanted.filter((host) => !known.includes(host)).map((hostname) => ({ hostname })),
          removed: own.filter(({ hostname }) => !wanted.includes(hostname)),
          updated: domains
            .filter(({ hostname }) => wanted.includes(hostname))
            .map((domain) => ({ ...domain, modified: domain.service !== name })),
          conflicting: wanted
            .filter((host) => dnsRecords.has(host) && !known.includes(host))
            .map((hostname) => ({ hostname })),
        };
      },
    ],
    [
      `PUT ${of}/workers/scripts/*/domains/records`,
      async (request, name = "") => {
        scriptOf(name);
        const { origins } = await request.json<{ origins: { hostname: string }[] }>();
        for (const { hostname } of origins) {
          const zone = zones.find((each) => `.${hostname}`.endsWith(`.${each.name}`));
          if (zone === undefined || zone.account.id !== ACCOUNT)
            throw new ApiProblem(404, 10_082, `No zone for ${hostname} in this account`);
        }
        const kept = domains.filter(
          ({ hostname, service }) =>
            service !== name && !origins.some((origin) => origin.hostname === hostname),
        );
        domains.splice(0, domains.length, ...kept);
        for (const { hostname } of origins)
          domains.push({ id: randomUUID(), hostname, service: name, zone_name: "example.com" });
        return domains;
      },
    ],
  ];

  const patterns = routes.map(([route, handle]) => {
    const pattern = new RegExp(`^${route.replaceAll("*", "([^/]+)")}$`);
    return { pattern, handle };
  });

  async function respondTo(incoming: IncomingMessage, response: ServerResponse) {
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
    const { pathname } = url;
    const line = `${incoming.method} ${pathname}`;
    requests.push(line);
    const held = holds.findIndex(({ match }) => match.test(line));
    if (held !== -1) {
      const [hold] = holds.splice(held, 1);
      await new Promise<void>((resume) => hold?.arrived(resume));
    }
    let bytes: Promise<Buffer> | undefined;
    const readBytes = () => {
      bytes ??= incoming.toArray().then((chunks) => Buffer.concat(chunks));
      return bytes;
    };
    const request: Request = {
      method: incoming.method ?? "GET",
      path: pathname,
      query: url.searchParams,
      incoming,
      bytes: readBytes,
      json: async <Value>() => JSON.parse((await readBytes()).toString()) as Value,
      form: async () =>
        new Response(new Uint8Array(await readBytes()), {
          headers: { "Content-Type": incoming.headers["content-type"] ?? "" },
        }).formData(),
    };
    if (pathname.startsWith("/upload/")) {
      const file = await readBytes();
      const isAllowed = url.searchParams.get("token") === uploadToken;
      if (isAllowed) uploads.set(pathname.slice("/upload/".length), file);
      response.writeHead(isAllowed ? 200 : 403, { ETag: `"${md5(file)}"` }).end();
      return;
    }
    try {
      const path = pathname.replace(/^\/client\/v4/, "");
      authorize(incoming, path);
      const fault = faults.find(({ match, times }) => times > 0 && match.test(line));
      if (fault !== undefined) {
        fault.times -= 1;
        throw fault.problem;
      }
      const { result, status } = await route(request, `${incoming.method} ${path}`);
      send(response, status, { success: true, errors: [], messages: [], result });
    } catch (error) {
      // A client that was stopped.
      if (incoming.destroyed && !incoming.complete) return;
      if (!(error instanceof ApiProblem)) unknown.push(`${line}: ${(error as Error).stack}`);
      const { status = 500, code = 1, message } = error as ApiProblem;
      send(response, status, {
        success: false,
        errors: [{ code, message }],
        messages: [],
        result: null,
      });
    }
  }

  async function route(request: Request, line: string): Promise<Result> {
    for (const { pattern, handle } of patterns) {
      const match = pattern.exec(line);
      if (match === null) continue;
      const result = await handle(request, ...match.slice(1).map(decodeURIComponent));
      return result instanceof Result ? result : new Result(200, result);
    }
    unknown.push(line);
    throw new ApiProblem(404, 7_003, `Could not route to ${line}`);
  }

  /** Files of assets are sent with the token of their session. */
  function authorize({ headers }: IncomingMessage, path: string) {
    if (path.endsWith("/workers/assets/upload")) return;
    if (headers.authorization !== `Bearer ${TOKEN}`)
      throw new ApiProblem(401, 1_000, "Invalid API Token");
    const [, named] = /^\/accounts\/([^/]+)/.exec(path) ?? [];
    if (named !== undefined && named !== ACCOUNT)
      throw new ApiProblem(403, 10_000, "Authentication error");
  }

  const server = createServer((incoming, response) => void respondTo(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = () => (server.address() as AddressInfo).port;

  return {
    ...{ port: port(), url: `http://127.0.0.1:${port()}/client/v4` },
    ...{ service, scripts, databases, domains, zones, dnsRecords, account, requests, unknown },
    fail: (match, status, code, times = 1) =>
      void faults.push({
        match,
        problem: new ApiProblem(status, code, "A fault of the test"),
        times,
      }),
    hold: (match) => new Promise((resolve) => holds.push({ match, arrived: resolve })),
    respond(next) {
      instead = next;
    },
    secretsOf: (name) =>
      Object.fromEntries(
        scriptOf(name)
          .deployed.bindings.filter(({ type }) => type === "secret_text")
          .map((binding) => [binding.name, binding.text ?? ""]),
      ),
    async close() {
      server.closeAllConnections();
      server.close();
      await service.close();
    },
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}
