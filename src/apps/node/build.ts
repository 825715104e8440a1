/**
 * `npm run build`: builds the pages, the server and the command line, and writes the files for Cloudflare. The server runs
 * `build.ts pages` as a separate process, so that the bundler's memory is released afterwards, and Wrangler `build.ts api-worker` before
 * it deploys or runs the API Worker. `npm run package` writes what
 * is published.
 */
import path from "node:path";
import { buildCreatePackage, buildPackage } from "./build-package.ts";
import { buildPages } from "./build-pages.ts";
import { buildServer } from "./build-server.ts";

const CHECKOUT = path.join(import.meta.dirname, "../../..");
const DATA_DIR = process.env["DATA_DIR"] ?? path.join(CHECKOUT, "data");

async function main(): Promise<void> {
  const out = path.join(CHECKOUT, "dist", "edge");
  if (process.argv[2] === "api-worker") {
    const { writeApiWorker } = await import("./edge-files.ts");
    return writeApiWorker(out);
  }
  const pages = await timed("the pages", buildPages(CHECKOUT, DATA_DIR));
  if (process.argv[2] === "pages") return;
  if (process.argv[2] === "package") {
    const out = path.join(CHECKOUT, "dist", "package");
    await timed(
      "the package",
      buildPackage(CHECKOUT, pages, out).then(() => out),
    );
    buildCreatePackage(CHECKOUT, path.join(CHECKOUT, "dist", "create-toolbooth"));
    return;
  }
  await timed("the server", buildServer(CHECKOUT));
  const { writeEdgeFiles } = await import("./edge-files.ts");
  await writeEdgeFiles(pages, { out, dataDir: DATA_DIR });
  process.stdout.write(`Wrote the files for Cloudflare: ${out}\n`);
}

async function timed(what: string, building: Promise<string>): Promise<string> {
  const began = performance.now();
  const folder = await building;
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  process.stdout.write(`Built ${what} in ${seconds} s: ${folder}\n`);
  return folder;
}

main().catch((error: NodeJS.ErrnoException) => {
  const isMissing = error.code === "ERR_MODULE_NOT_FOUND";
  const advice = isMissing ? "A package is missing: run `npm ci`. " : "";
  process.stderr.write(`The build failed. ${advice}${error.message}\n`);
  process.exitCode = 1;
});
