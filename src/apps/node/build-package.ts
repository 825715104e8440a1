import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { Metafile, Plugin } from "esbuild";
import { PROGRAM } from "#command-line.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { bundleServer, readSources } from "./build-server.ts";
import { PACKED } from "./builds.js";
import {
  aliasesIn,
  CLOUDFLARE_PACKAGE,
  EDGE_BUNDLING,
  nodeModules,
  WRANGLER_CONFIGS,
} from "./bundle-workers.ts";
import {
  bundledInPages,
  type License,
  licensesOf,
  licensesText,
  PAGE_LICENSES,
} from "./licenses.ts";

/** A project that installs the package has no scripts of a checkout. */
const inPackage = (text: string) => text.replaceAll(PROGRAM, "npx toolbooth");

/**
 * Writes the folder that is published: what runs is JavaScript, because Node strips no types below `node_modules`, in bundles, so that
 * it has the versions and overrides of our lockfile and few packages are installed with it. Every file is where the checkout has it,
 * seen from the code that reads it, with `dist` in place of `src`.
 *
 * @param pages the folder of the built pages
 * @param out the folder to write
 */
export async function buildPackage(checkout: string, pages: string, out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  const dist = path.join(out, "dist");
  const [server, entry] = await Promise.all([
    bundleServer(checkout, path.join(dist, "server", PACKED), inPackage),
    bundleEntry(checkout, dist),
    writeDeclarations(checkout, path.join(dist, "types")),
  ]);
  for (const name of ["start.js", "node/builds.js", "node/right-node.cjs"])
    cpSync(path.join(checkout, "src/apps", name), path.join(dist, "apps", name));
  copyPages(pages, path.join(dist, "pages", PACKED));
  mkdirSync(path.join(out, "docs"));
  for (const name of readdirSync(path.join(checkout, "docs")).filter((each) => /\.md$/.test(each)))
    writeFileSync(path.join(out, "docs", name), inPackage(read(checkout, "docs", name)));
  for (const name of ["README.md", "LICENSE"])
    writeFileSync(path.join(out, name), inPackage(read(checkout, name)));
  const licenses: License[] = [
    ...licensesOf(checkout, Object.keys(server.inputs)),
    ...bundledInPages(checkout, pages),
  ];
  writeFileSync(path.join(out, "THIRD-PARTY-LICENSES.txt"), licensesText(licenses));
  writeManifest(out, manifest([server, entry]));
}

/**
 * Writes the folder of `create-toolbooth`, which is published beside the package: it writes projects that depend on the package in its
 * own version. It runs as it stands in the checkout.
 */
export function buildCreatePackage(checkout: string, out: string): void {
  rmSync(out, { recursive: true, force: true });
  const apps = path.join(out, "dist/apps");
  const source = path.join(checkout, "src/apps/create");
  const readme = path.join(source, "README.md");
  cpSync(source, path.join(apps, "create"), {
    recursive: true,
    filter: (file) => file !== readme,
  });
  const check = "node/right-node.cjs";
  cpSync(path.join(checkout, "src/apps", check), path.join(apps, check));
  cpSync(readme, path.join(out, "README.md"));
  cpSync(path.join(checkout, "LICENSE"), path.join(out, "LICENSE"));
  writeManifest(out, {
    name: "create-toolbooth",
    description: "npm create toolbooth: writes a project for a metered API of your own tools",
    keywords: packageJson.keywords,
    bin: { "create-toolbooth": "dist/apps/create/start.js" },
    exports: { "./package.json": "./package.json" },
    files: ["dist"],
  });
}

const read = (...parts: string[]) => readFileSync(path.join(...parts), "utf8");

type Named = { name: string; description: string } & Record<string, unknown>;

/** Writes a package.json with what all packages share: they are released together. */
function writeManifest(out: string, { name, description, ...others }: Named): void {
  const { version, license, repository, engines } = packageJson;
  const shared = { version, description, license, repository, type: "module", engines };
  const text = JSON.stringify({ name, ...shared, ...others }, null, 2);
  writeFileSync(path.join(out, "package.json"), `${text}\n`);
}

/** What `fromOpenApi` requires when it reads a file of YAML, so that no import of a bundle names it. */
const REQUIRED_LATE = "yaml";

/** Of the dependencies, only those that the bundles import or require are installed: the others are in them. */
function manifest(bundles: readonly Metafile[]): Named {
  const imported = bundles
    .flatMap(({ outputs }) => Object.values(outputs).flatMap(({ imports }) => imports))
    .filter(({ external }) => external === true);
  const { name, description, keywords } = packageJson;
  const dependencies = Object.entries(packageJson.dependencies).filter(
    ([each]) =>
      each === REQUIRED_LATE ||
      imported.some(({ path: name }) => name === each || name.startsWith(`${each}/`)),
  );
  return {
    ...{ name, description, keywords },
    bin: { toolbooth: "dist/apps/start.js" },
    exports: {
      ".": { types: "./dist/types/toolbooth.d.ts", default: "./dist/toolbooth.js" },
      "./package.json": "./package.json",
    },
    files: ["dist", "docs", "THIRD-PARTY-LICENSES.txt"],
    dependencies: Object.fromEntries(dependencies),
  };
}

/**
 * Writes the package with the two Workers, in modules that `toolbooth build cloudflare` bundles with the tools of a project, and with the
 * bundler for that.
 */
export async function buildCloudflarePackage(checkout: string, out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  const { build } = await import("esbuild");
  const { metafile } = await build({
    ...EDGE_BUNDLING,
    absWorkingDir: checkout,
    entryPoints: ["api-worker", "site-worker"].map((name) => `src/apps/edge/${name}.ts`),
    outdir: path.join(out, "dist"),
    splitting: true,
    alias: aliasesIn(checkout),
    plugins: [nodeModules, ownToolsLeftOut, readSources(inPackage)],
  });
  for (const name of ["LICENSE", ...WRANGLER_CONFIGS])
    writeFileSync(path.join(out, name), inPackage(read(checkout, name)));
  writeFileSync(path.join(out, "README.md"), CLOUDFLARE_README);
  const licenses = licensesOf(checkout, Object.keys(metafile.inputs));
  writeFileSync(path.join(out, "THIRD-PARTY-LICENSES.txt"), licensesText(licenses));
  writeManifest(out, {
    name: CLOUDFLARE_PACKAGE,
    description: "The Cloudflare Workers of Toolbooth, for `toolbooth build cloudflare`.",
    files: ["dist", "THIRD-PARTY-LICENSES.txt", ...WRANGLER_CONFIGS],
    dependencies: { esbuild: packageJson.devDependencies.esbuild },
  });
}

const CLOUDFLARE_README = `# ${CLOUDFLARE_PACKAGE}

The Cloudflare Workers of Toolbooth, as modules. Install it in the version of your \`toolbooth\`; \`npx toolbooth build cloudflare\` bundles the Workers with the tools of your project.
`;

/** The module of a project takes the place of this one. */
const ownToolsLeftOut: Plugin = {
  name: "own-tools-left-out",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/own-tools\.ts$/ }, () => ({
      path: "./own-tools.js",
      external: true,
    })),
};

/** What tools import, and what makes tools of their files in a Worker. Zod stays a package, so that they share it with what they import themselves. */
async function bundleEntry(checkout: string, dist: string): Promise<Metafile> {
  const { build } = await import("esbuild");
  const { metafile } = await build({
    absWorkingDir: checkout,
    entryPoints: ["src/toolbooth.ts", "src/tools/own-tool.ts"],
    outdir: dist,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    packages: "external",
    legalComments: "none",
    metafile: true,
    logLevel: "error",
  });
  return metafile;
}

/** The declarations name files by paths, because `imports` of our package.json do not travel. */
async function writeDeclarations(checkout: string, types: string): Promise<void> {
  const tsc = path.join(checkout, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(
    process.execPath,
    [tsc, "-p", path.join(checkout, "tsconfig.package.json"), "--outDir", types],
    { cwd: checkout },
  );
  for (const name of readdirSync(types, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = path.join(types, name);
    const up = "../".repeat(name.split(path.sep).length - 1) || "./";
    const text = readFileSync(file, "utf8").replaceAll(
      /(\bfrom |\bimport\()"(#|\.\.?\/)([^"]+)\.ts"/g,
      (_, before: string, start: string, rest: string) =>
        `${before}"${start === "#" ? up : start}${rest}.js"`,
    );
    writeFileSync(file, text);
  }
}

/** Leaves out what is there in compressed form too: the server makes it of that when it is asked for (`pages-store.ts`). */
function copyPages(from: string, to: string): void {
  const names = new Set(readdirSync(from, { recursive: true, encoding: "utf8" }));
  const isLeftOut = (name: string) =>
    names.has(`${name}.br`) || PAGE_LICENSES.some((each) => each === name);
  cpSync(from, to, {
    recursive: true,
    filter: (file) => !isLeftOut(path.relative(from, file)),
  });
}
