/**
 * Lays out what is deployed to Cloudflare's edge beside the code, in `dist/edge`: `npm run build:edge`. The pages are those of
 * `npm run build`, file by file. The same sources give the same files; what is there already is left alone, so that it can run
 * beside itself and beside whoever reads.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { D1_MIGRATIONS } from "#stores/schema/d1-migrations.ts";
import { listDocs } from "./docs.ts";
import { buildPlaces, FIRST_PAINT, findBuild, MANIFEST } from "./pages-folder.ts";
import { hashPageSources } from "./pages-source.ts";

const CHECKOUT = path.join(import.meta.dirname, "../../..");
const OUT = path.join(CHECKOUT, "dist", "edge");

/**
 * What Node says of the same files (`node-pages-store.ts`). The platform serves them without asking the Worker, compresses
 * them and makes their ETag.
 */
const HEADERS = `/assets/*
  Cache-Control: public, max-age=31536000, immutable
  X-Content-Type-Options: nosniff
  Cross-Origin-Resource-Policy: same-origin
/assets/*.js
  Content-Security-Policy: default-src 'none'; script-src 'self'
`;

/** The pages' folder, built where it is not. */
function buildPages(): string {
  const dataDir = process.env["DATA_DIR"] ?? path.join(CHECKOUT, "data");
  const find = () => findBuild(buildPlaces(CHECKOUT, dataDir), hashPageSources(CHECKOUT));
  const there = find();
  if (there !== undefined) return there;
  const script = path.join(import.meta.dirname, "build.ts");
  const options = ["--disable-warning=ExperimentalWarning", script];
  const { status } = spawnSync(process.execPath, options, { cwd: CHECKOUT, stdio: "inherit" });
  const built = status === 0 ? find() : undefined;
  if (built === undefined) throw new Error("The pages could not be built");
  return built;
}

/** Every file by its path below `dist/edge`. */
function listFiles(pages: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const assets = path.join(pages, "assets");
  for (const name of readdirSync(assets)) {
    // The platform compresses by itself.
    if (/\.(?:br|gz)$/.test(name)) continue;
    files.set(`assets/assets/${name}`, readFileSync(path.join(assets, name)));
  }
  for (const name of [MANIFEST, FIRST_PAINT]) {
    files.set(`assets/build/${name}`, readFileSync(path.join(pages, name)));
  }
  files.set("assets/build/docs.json", Buffer.from(JSON.stringify(listDocs())));
  files.set("assets/_headers", Buffer.from(HEADERS));
  for (const { name, sql } of D1_MIGRATIONS) {
    files.set(`migrations/${name}.sql`, Buffer.from(`${sql.trim()}\n`));
  }
  return files;
}

/** New files first, then the old ones go: whoever reads meanwhile finds what they look for. */
function layOut(files: Map<string, Buffer>): void {
  for (const [name, bytes] of files) {
    const file = path.join(OUT, name);
    if (readIfThere(file)?.equals(bytes)) continue;
    mkdirSync(path.dirname(file), { recursive: true });
    // Outside of what is served; a reader sees whole files only.
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
  const files = listFiles(buildPages());
  layOut(files);
  process.stdout.write(`What goes to the edge lies in ${OUT}: ${files.size} files\n`);
} catch (error) {
  process.stderr.write(`The edge's files cannot be laid out. ${(error as Error).message}\n`);
  process.exitCode = 1;
}
