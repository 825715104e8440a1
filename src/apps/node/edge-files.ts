import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { INLINE, MANIFEST } from "#site/page-manifest.ts";
import { D1_MIGRATIONS, migrationFile } from "#stores/schema/d1-migrations.ts";
import { listDocs } from "./docs.ts";
import { readLegalFiles } from "./legal-files.ts";
import { readDisposableDomains } from "./sign-up-lists.ts";

/** What Node says of the same files (`pages-store.ts`). The platform compresses them and makes their ETag. */
const HEADERS = `/assets/*
  Cache-Control: public, max-age=31536000, immutable
  X-Content-Type-Options: nosniff
  Cross-Origin-Resource-Policy: same-origin
/assets/*.png
  ! Cross-Origin-Resource-Policy
  Cross-Origin-Resource-Policy: cross-origin
/assets/*.js
  Content-Security-Policy: default-src 'none'; script-src 'self'
`;

type Modules = ReadonlyMap<string, Uint8Array>;

/** Writes the files that Wrangler needs: the modules of both Workers, the assets with the built pages, and the migrations of D1. */
export async function writeEdgeFiles(
  pages: string,
  given: { api: Modules; site: Modules; out: string; dataDir: string; warn(text: string): void },
): Promise<void> {
  const files = await listFiles(pages, given.dataDir, given.warn);
  for (const worker of ["api", "site"] as const)
    for (const [name, bytes] of given[worker]) files.set(`${worker}/${name}`, Buffer.from(bytes));
  replaceFiles(given.out, files);
}

/** Files that have not changed are left alone, so concurrent builds and readers do not interfere. */
function replaceFiles(out: string, files: ReadonlyMap<string, Buffer>): void {
  for (const [name, bytes] of files) replaceFile(out, name, bytes);
  // After the new ones are there, so that a reader finds what it looks for.
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(out, file).replaceAll("\\", "/");
    if (entry.isFile() && !files.has(name) && !entry.name.startsWith(PARTIAL))
      rmSync(file, { force: true });
  }
}

/** Returns every file by its path. */
async function listFiles(
  pages: string,
  dataDir: string,
  warn: (text: string) => void,
): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const assets = path.join(pages, "assets");
  const built = readdirSync(assets);
  for (const each of built) {
    // Cloudflare compresses responses itself. The published package has some files in their compressed form only.
    const name = each.replace(/\.br$/, "");
    if (name !== each && built.includes(name)) continue;
    const bytes = readFileSync(path.join(assets, each));
    files.set(`assets/assets/${name}`, name === each ? bytes : brotliDecompressSync(bytes));
  }
  const add = (name: string, text: string) => files.set(name, Buffer.from(text));
  for (const name of [MANIFEST, INLINE])
    files.set(`assets/build/${name}`, readFileSync(path.join(pages, name)));
  const legal = readLegalFiles(path.join(dataDir, "pages"), warn);
  add("assets/build/docs.json", JSON.stringify(listDocs()));
  add("assets/build/legal.json", JSON.stringify(legal));
  add("assets/build/disposable-domains.json", JSON.stringify(await readDisposableDomains()));
  add("assets/_headers", HEADERS);
  for (const migration of D1_MIGRATIONS)
    add(`migrations/${migration.name}.sql`, migrationFile(migration));
  return files;
}

const PARTIAL = ".part-";

/** Writes outside of the served folders and renames, so that readers only see complete files. */
function replaceFile(out: string, name: string, bytes: Buffer): void {
  const file = path.join(out, name);
  if (readIfThere(file)?.equals(bytes)) return;
  mkdirSync(path.dirname(file), { recursive: true });
  const partial = path.join(out, `${PARTIAL}${process.pid}`);
  writeFileSync(partial, bytes);
  renameSync(partial, file);
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
