import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { INLINE, MANIFEST } from "#site/page-manifest.ts";
import { D1_MIGRATIONS, migrationFile } from "#stores/schema/d1-migrations.ts";
import { buildApiWorker } from "./build-api-worker.ts";
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

const API = "api";

/**
 * Writes the files that Wrangler needs besides the code of the site Worker: its assets, with the built pages, the D1 migrations, and the
 * modules of the API Worker.
 */
export async function writeEdgeFiles(
  pages: string,
  { out, dataDir }: { out: string; dataDir: string },
): Promise<void> {
  const files = await listFiles(pages, dataDir);
  const { modules } = await buildApiWorker();
  for (const [name, bytes] of modules) files.set(`${API}/${name}`, Buffer.from(bytes));
  replaceFiles(out, files);
}

/** Writes the modules of the API Worker alone. */
export async function writeApiWorker(out: string): Promise<void> {
  const { modules } = await buildApiWorker();
  const files = [...modules].map(([name, bytes]) => [name, Buffer.from(bytes)] as const);
  replaceFiles(path.join(out, API), new Map(files));
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
async function listFiles(pages: string, dataDir: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const assets = path.join(pages, "assets");
  for (const name of readdirSync(assets)) {
    // Cloudflare compresses responses itself.
    if (/\.(?:br|gz)$/.test(name)) continue;
    files.set(`assets/assets/${name}`, readFileSync(path.join(assets, name)));
  }
  const add = (name: string, text: string) => files.set(name, Buffer.from(text));
  for (const name of [MANIFEST, INLINE])
    files.set(`assets/build/${name}`, readFileSync(path.join(pages, name)));
  const warn = (text: string) => process.stderr.write(`${text}\n`);
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
