/**
 * `npm run build:edge`: writes the static assets for Cloudflare to `dist/edge`, with the pages of `npm run build`. The same
 * sources produce the same files and existing files are left alone, so concurrent runs and readers do not interfere.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { D1_MIGRATIONS } from "#stores/schema/d1-migrations.ts";
import { listDocs } from "./docs.ts";
import { readLegalFiles } from "./legal-files.ts";
import { buildPlaces, FIRST_PAINT, findBuild, MANIFEST, ONLY_PAGES } from "./pages-folder.ts";
import { hashPageSources } from "./pages-source.ts";
import { readCommonPasswords, readDisposableDomains } from "./sign-up-lists.ts";

const CHECKOUT = path.join(import.meta.dirname, "../../..");
const DATA_DIR = process.env["DATA_DIR"] ?? path.join(CHECKOUT, "data");
const OUT = path.join(CHECKOUT, "dist", "edge");

/**
 * What Node says of the same files (`node-pages-store.ts`). The platform serves them without asking the Worker, compresses
 * them and makes their ETag.
 */
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

/** Returns the folder of built pages, and builds them if necessary. */
function buildPages(): string {
  const find = () => findBuild(buildPlaces(CHECKOUT, DATA_DIR), hashPageSources(CHECKOUT));
  const there = find();
  if (there !== undefined) return there;
  const script = path.join(import.meta.dirname, "build.ts");
  const options = ["--disable-warning=ExperimentalWarning", script, ONLY_PAGES];
  const { status } = spawnSync(process.execPath, options, { cwd: CHECKOUT, stdio: "inherit" });
  const built = status === 0 ? find() : undefined;
  if (built === undefined) throw new Error("The pages could not be built");
  return built;
}

/** Returns every file by its path below `dist/edge`. */
async function listFiles(pages: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const assets = path.join(pages, "assets");
  for (const name of readdirSync(assets)) {
    // Cloudflare compresses responses itself.
    if (/\.(?:br|gz)$/.test(name)) continue;
    files.set(`assets/assets/${name}`, readFileSync(path.join(assets, name)));
  }
  for (const name of [MANIFEST, FIRST_PAINT]) {
    files.set(`assets/build/${name}`, readFileSync(path.join(pages, name)));
  }
  files.set("assets/build/docs.json", Buffer.from(JSON.stringify(listDocs())));
  const warn = (text: string) => process.stderr.write(`${text}\n`);
  const legal = readLegalFiles(path.join(DATA_DIR, "pages"), warn);
  files.set("assets/build/legal.json", Buffer.from(JSON.stringify(legal)));
  files.set("assets/build/weak-passwords.bin", await readCommonPasswords());
  const domains = JSON.stringify(await readDisposableDomains());
  files.set("assets/build/disposable-domains.json", Buffer.from(domains));
  files.set("assets/_headers", Buffer.from(HEADERS));
  for (const { name, sql } of D1_MIGRATIONS) {
    files.set(`migrations/${name}.sql`, Buffer.from(`${sql.trim()}\n`));
  }
  return files;
}

/** Writes new files before it removes old ones, so that a concurrent reader finds what it looks for. */
function layOut(files: Map<string, Buffer>): void {
  for (const [name, bytes] of files) {
    const file = path.join(OUT, name);
    if (readIfThere(file)?.equals(bytes)) continue;
    mkdirSync(path.dirname(file), { recursive: true });
    // Written outside the served folder and renamed, so that readers only see complete files.
    const partial = path.join(OUT, `.part-${process.pid}`);
    writeFileSync(partial, bytes);
    renameSync(partial, file);
  }
  for (const entry of readdirSync(OUT, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(OUT, file).replaceAll("\\", "/");
    const isOurs = files.has(name) || name.startsWith(".part-");
    if (entry.isFile() && !isOurs) rmSync(file, { force: true });
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

try {
  const files = await listFiles(buildPages());
  layOut(files);
  process.stdout.write(`Wrote ${files.size} files for the edge to ${OUT}\n`);
} catch (error) {
  process.stderr.write(`Cannot write the files for the edge. ${(error as Error).message}\n`);
  process.exitCode = 1;
}
