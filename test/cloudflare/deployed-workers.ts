import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { CERTIFICATE, KEY } from "./certificate.ts";
import type { Script, Version } from "./scripts.ts";

/** Runs the uploaded Workers in workerd, on the databases of the account, and serves their domains with TLS. */
export type DeployedService = {
  port: number;
  /** Runs statements in one transaction. */
  query(databaseId: string, statements: readonly string[]): Promise<{ results: object[] }[]>;
  /** The Workers or databases have changed. */
  change(): void;
  close(): Promise<void>;
};

export type Served = {
  scripts: ReadonlyMap<string, Script>;
  databases: ReadonlyMap<string, string>;
  /** Returns the Worker that serves a host. */
  scriptFor(host: string): string | undefined;
  /** Responses instead of those of the Worker, for faults. */
  override(): { status: number; text: string } | null;
};

/** Answers the queries of D1's API. */
const QUERY_WORKER = `export default { async fetch(request, env) {
  const { id, statements } = await request.json();
  try {
    return Response.json(await env["DB_" + id].batch(statements.map((sql) => env["DB_" + id].prepare(sql))));
  } catch (error) {
    return Response.json({ message: error.message }, { status: 400 });
  }
} }`;
const QUERY_HOST = "query.invalid";

export async function serveDeployed(served: Served): Promise<DeployedService> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-cloudflare-"));
  let miniflare: Miniflare | undefined;
  let hasChanged = true;
  let starting: Promise<Miniflare> | undefined;

  const optionsNow = () => ({
    ...convertV4MiniflareOptions({
      host: "127.0.0.1",
      cf: false,
      handleStructuredLogs: () => {},
      workers: [
        {
          name: "d1-queries",
          modules: [{ type: "ESModule", path: "query.mjs", contents: QUERY_WORKER }],
          compatibilityDate: "2026-10-01",
          d1Databases: Object.fromEntries(
            [...served.databases.keys()].map((id) => [`DB_${id}`, id]),
          ),
        },
        ...[...served.scripts.values()].map((script) => workerOf(script, folder)),
      ],
    }),
    resourcePersistencePath: path.join(folder, "data"),
  });

  /** Starts or restarts workerd if something was deployed since. */
  function current(): Promise<Miniflare> {
    if (hasChanged) {
      hasChanged = false;
      const before = starting;
      starting = (async () => {
        await before?.catch(() => {});
        if (miniflare === undefined) miniflare = new Miniflare(optionsNow());
        else await miniflare.setOptions(optionsNow());
        await miniflare.ready;
        return miniflare;
      })();
    }
    return starting as Promise<Miniflare>;
  }

  const server = createServer({ key: KEY, cert: CERTIFICATE }, async (request, response) => {
    try {
      const host = request.headers.host ?? "";
      const name = served.scriptFor(host);
      const fault = served.override();
      if (name === undefined || fault !== null) {
        response.writeHead(fault?.status ?? 530).end(fault?.text ?? "error code: 1016");
        return;
      }
      const running = await current();
      const worker = await fetcherOf(running, name);
      const body = Buffer.concat(await request.toArray());
      const headers = Object.entries(request.headers).flatMap(([header, value]) =>
        value === undefined || header === "connection" ? [] : [[header, String(value)]],
      ) as [string, string][];
      const got = await worker.fetch(`https://${host}${request.url}`, {
        method: request.method ?? "GET",
        headers,
        redirect: "manual",
        ...(body.length > 0 && { body }),
      });
      response.writeHead(got.status, Object.fromEntries(got.headers));
      response.end(Buffer.from(await got.arrayBuffer()));
    } catch (error) {
      response.writeHead(520).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    port: (server.address() as AddressInfo).port,
    async query(id, statements) {
      const worker = await fetcherOf(await current(), "d1-queries");
      const response = await worker.fetch(`http://${QUERY_HOST}/`, {
        method: "POST",
        body: JSON.stringify({ id, statements }),
      });
      const result = (await response.json()) as { results: object[] }[] | { message: string };
      if ("message" in result) throw new Error(result.message);
      return result;
    },
    change() {
      hasChanged = true;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await starting?.catch(() => {});
      await miniflare?.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Miniflare's own types for this come with a package that we do without. */
type Fetcher = { fetch(url: string, init: RequestInit): Promise<Response> };

const fetcherOf = async (miniflare: Miniflare, name: string) =>
  (await miniflare.getWorker(name)) as unknown as Fetcher;

/** The options of a Worker from its uploaded version alone. */
function workerOf({ name, deployed }: Script, folder: string) {
  const of = (type: string) => deployed.bindings.filter((binding) => binding.type === type);
  return {
    name,
    modules: deployed.modules
      .filter(({ type }) => type.startsWith("application/javascript"))
      .map((module) => ({
        type: "ESModule" as const,
        path: module.name,
        contents: module.contents.toString(),
      })),
    compatibilityDate: deployed.compatibility_date,
    compatibilityFlags: deployed.compatibility_flags,
    bindings: Object.fromEntries(
      [...of("secret_text"), ...of("plain_text")].map((each) => [each.name, each.text ?? ""]),
    ),
    durableObjects: Object.fromEntries(
      of("durable_object_namespace").map((each) => [
        each.name,
        {
          className: each.class_name ?? "",
          useSQLite: true as const,
          ...(each.script_name !== undefined && { scriptName: each.script_name }),
        },
      ]),
    ),
    d1Databases: Object.fromEntries(
      of("d1").map((each) => [each.name, each.id ?? each.database_id ?? ""]),
    ),
    serviceBindings: Object.fromEntries(
      of("service").map((each) => [each.name, each.service ?? ""]),
    ),
    ...assetsOf(name, deployed, folder),
  };
}

function assetsOf(name: string, { id, assets, bindings }: Version, folder: string) {
  const binding = bindings.find(({ type }) => type === "assets")?.name;
  if (assets === null || binding === undefined) return {};
  const directory = path.join(folder, "assets", name, id);
  for (const [file, bytes] of assets.files) {
    const target = path.join(directory, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, bytes);
  }
  const { html_handling, not_found_handling, run_worker_first } = assets.config;
  return {
    assets: {
      directory,
      binding,
      run_worker_first: run_worker_first as boolean,
      routerConfig: { has_user_worker: true },
      assetConfig: {
        html_handling: html_handling as "none",
        not_found_handling: not_found_handling as "none",
      },
    },
  };
}
