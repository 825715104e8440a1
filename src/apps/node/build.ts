/**
 * `npm run build`: builds the pages, the server and the command line. The server runs `build.ts pages` as a separate process, so that the
 * bundler's memory is released afterwards. `npm run package` writes what is published.
 */
import path from "node:path";
import { buildPages } from "./build-pages.ts";
import { buildServer } from "./build-server.ts";

const CHECKOUT = path.join(import.meta.dirname, "../../..");
const DATA_DIR = process.env["DATA_DIR"] ?? path.join(CHECKOUT, "data");

async function main(): Promise<void> {
  const pages = await timed("the pages", buildPages(CHECKOUT, DATA_DIR));
  if (process.argv[2] === "pages") return;
  if (process.argv[2] === "package") {
    const packages = await import("./build-package.ts");
    const out = path.join(CHECKOUT, "dist", "package");
    await timed(
      "the package",
      packages.buildPackage(CHECKOUT, pages, out).then(() => out),
    );
    packages.buildCreatePackage(CHECKOUT, path.join(CHECKOUT, "dist", "create-toolbooth"));
    const cloudflare = path.join(CHECKOUT, "dist", "package-cloudflare");
    await timed(
      "the package for Cloudflare",
      packages.buildCloudflarePackage(CHECKOUT, cloudflare).then(() => cloudflare),
    );
    return;
  }
  await timed("the server", buildServer(CHECKOUT));
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
