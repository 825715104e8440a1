import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { chooseEncoding } from "#calls/reply.ts";
import {
  type AppAssets,
  assetsOf,
  INLINE,
  type InlineTexts,
  MANIFEST,
  type PageManifest,
} from "#site/page-manifest.ts";

/** A build of the pages, read into memory once, so that later changes to the folder have no effect. */
export type PageStore = {
  /** Serves a file below `/assets/` in the best accepted encoding; 404 for unknown names. */
  response(name: string, request: Request): Response;
  /** Returns the files that a page loads first: the entry and the screen it shows. */
  assetsFor(entry: string, screen?: string): AppAssets;
};

/** `br`: omitted if compression does not make it smaller. The other forms are made when they are first asked for. */
type Asset = { type: string; etag: string; br?: Buffer; plain?: Buffer; gzip?: Buffer };

export function readPageStore(folder: string): PageStore {
  const assets = readAssets(path.join(folder, "assets"));
  const read = (name: string) => JSON.parse(readFileSync(path.join(folder, name), "utf8"));
  const manifest = read(MANIFEST) as PageManifest;
  const inline = read(INLINE) as InlineTexts;
  return {
    response(name, request) {
      const asset = assets.get(name);
      return asset === undefined ? nothing() : respondWith(asset, request);
    },
    assetsFor: (entry, screen) => assetsOf(manifest, inline, entry, screen),
  };
}

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".html": "text/html; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

function readAssets(folder: string): Map<string, Asset> {
  const names = readdirSync(folder);
  const read = (name: string) =>
    names.includes(name) ? readFileSync(path.join(folder, name)) : undefined;
  const assets = new Map<string, Asset>();
  // The published package leaves out what it has compressed.
  for (const name of new Set(names.map((each) => each.replace(/\.br$/, "")))) {
    const [plain, br] = [read(name), read(`${name}.br`)];
    assets.set(name, {
      type: TYPES[path.extname(name)] ?? "application/octet-stream",
      // The file name contains the content's hash.
      etag: name,
      ...(plain && { plain }),
      ...(br && { br }),
    });
  }
  return assets;
}

function bytesOf(asset: Asset, encoding: "br" | "gzip" | null): Buffer {
  if (encoding === "br") return asset.br as Buffer;
  asset.plain ??= brotliDecompressSync(asset.br as Buffer);
  if (encoding === null) return asset.plain;
  asset.gzip ??= gzipSync(asset.plain, { level: 9 });
  return asset.gzip;
}

function respondWith(asset: Asset, request: Request): Response {
  const liked = chooseEncoding(request.headers.get("accept-encoding"));
  // Files that compression would not make smaller are sent as they are.
  const encoding = asset.br === undefined ? null : liked;
  const bytes = bytesOf(asset, encoding);
  const etag = `"${asset.etag}${encoding === null ? "" : `-${encoding}`}"`;
  const headers: Record<string, string> = {
    "Cache-Control": "public, max-age=31536000, immutable",
    ETag: etag,
    Vary: "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
    // Other sites show the image of a link.
    "Cross-Origin-Resource-Policy": asset.type === "image/png" ? "cross-origin" : "same-origin",
  };
  if (matches(request.headers.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers });
  }
  headers["Content-Type"] = asset.type;
  headers["Content-Length"] = String(bytes.length);
  if (encoding !== null) headers["Content-Encoding"] = encoding;
  // A web worker uses the policy of its own file.
  if (asset.type.startsWith("text/javascript")) headers["Content-Security-Policy"] = WORKER_CSP;
  const body = request.method === "HEAD" ? null : (bytes as Uint8Array<ArrayBuffer>);
  return new Response(body, { headers });
}

/** Web workers may load their own modules and nothing else. */
const WORKER_CSP = "default-src 'none'; script-src 'self'";

function nothing(): Response {
  const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  return new Response("There is no such file.\n", { status: 404, headers });
}

const matches = (asked: string | null, etag: string): boolean =>
  (asked ?? "")
    .split(",")
    .map((part) => part.trim().replace(/^W\//, ""))
    .some((part) => part === etag || part === "*");
