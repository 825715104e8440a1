import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { createMcp } from "#api/mcp/serve-message.ts";
import { bundleEarlyScript } from "#apps/node/build-pages.ts";
import { listDocs } from "#apps/node/docs.ts";
import { TOOLBOOTH } from "#brand.ts";
import { SETTINGS } from "#config/settings.ts";
import type { PageOptions } from "#site/page-options.ts";
import { createPages, type Pages } from "#site/pages.ts";
import { SITE_FILES, type SiteFiles } from "#site/site-files.ts";
import { TOOLS } from "#tools/registry.ts";
import { AXE_HEADERS, AXE_PATH, readAxe } from "../web/axe.ts";
import { noPrices, prices } from "../web/sales-fixtures.ts";

export const ROOT = path.join(import.meta.dirname, "../..");
const DOCS = listDocs();
/** The script in the head of every page. */
export const EARLY = await bundleEarlyScript(ROOT);

/** The fonts and images as a build names them. */
export const FILES = Object.fromEntries(
  SITE_FILES.map((name) => [name, `assets/${name}`]),
) as SiteFiles;

/** A service with everything that the pages can offer, published at the root of a host. */
export const FULL: PageOptions = {
  docs: DOCS,
  ...TOOLBOOTH,
  publicUrl: "https://tools.test",
  rateLimit: 100,
  freeCallCredits: 1,
  tools: TOOLS,
  version: "1.2.3",
  assets: { script: "assets/main.js", files: FILES, early: EARLY },
  dashboard: { signUp: "open", providers: ["github"], starter: { credits: 100, days: 90 }, prices },
  settings: SETTINGS,
};

/** A service that sells and gives nothing, and whose pages have not been built yet. */
export const BARE: PageOptions = {
  docs: DOCS,
  ...TOOLBOOTH,
  publicUrl: "https://tools.test",
  rateLimit: 0,
  freeCallCredits: 1,
  tools: TOOLS,
  version: "1.2.3",
  dashboard: {
    ...{ signUp: "closed", providers: [], prices: noPrices },
    starter: { credits: 0, days: 0 },
  },
};

/** What an agent gets of a service for a message without a call. */
export function askMcp({ tools, version, name }: PageOptions, method: string) {
  const mcp = createMcp({ tools, version, name });
  const message = { jsonrpc: "2.0", id: 1, method, params: {} };
  return mcp({
    body: new TextEncoder().encode(JSON.stringify(message)),
    ...{ headers: new Headers(), count: async () => {}, left: () => null },
  } as unknown as Parameters<typeof mcp>[0]);
}

/** The text of a page by its path; undefined where there is none. */
export const pageAt = ({ find }: Pages, target: string): string | undefined => find(target)?.body;

/** The paths of all pages that the server renders. */
export const pathsOf = ({ docs }: Pages): string[] => ["/", "/pricing", ...(docs?.paths ?? [])];

/** The script of the pages, by the path of each of its files. */
export async function bundleScript(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    entryPoints: [path.join(ROOT, "web/front/main.ts")],
    absWorkingDir: ROOT,
    outdir: "/assets",
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    write: false,
  });
  return new Map(outputFiles.map((file) => [file.path, file.text]));
}

/** Bytes on the wire of everything that a page can come to load. */
export const gzippedBytes = (files: Map<string, string>): number =>
  [...files.values()].reduce((sum, text) => sum + gzipSync(text).byteLength, 0);

export type PagesServer = {
  url: string;
  pages: Pages;
  /** The paths that were asked for, one after the other. */
  asked: string[];
  close(): void;
};

/** Serves the pages and their script as the service does, with the same headers, on a free port. */
export async function servePages(): Promise<PagesServer> {
  const files = await bundleScript();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const target = request.url ?? "/";
    asked.push(target);
    if (target === AXE_PATH) {
      response.writeHead(200, AXE_HEADERS).end(readAxe());
      return;
    }
    const file = files.get(target);
    if (file !== undefined) {
      response.writeHead(200, { "Content-Type": "text/javascript" }).end(file);
      return;
    }
    const page = pages.find(target);
    const { type, headers, body } = page ?? pages.notFound;
    response.writeHead(page === undefined ? 404 : 200, { ...headers, "Content-Type": type });
    response.end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pages = createPages({ ...FULL, publicUrl: url });
  return {
    url,
    pages,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
