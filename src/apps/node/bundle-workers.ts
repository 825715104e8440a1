import { existsSync, readFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import path from "node:path";
import type { BuildFailure, BuildOptions, Metafile, Plugin } from "esbuild";
import { describeOwnTool } from "#api/openapi/tool-description.ts";
import { lineOfImport } from "./explain-tool-file.ts";
import type { ToolFile } from "./own-tool-thread.ts";
import { version } from "./runtime.ts";
import { type ServedTools, ToolsError } from "./tools-folder.ts";

/** The checkout, or the published package. */
export const ROOT = path.join(import.meta.dirname, "../../..");
const SOURCES = path.join(ROOT, "src/apps/edge");

/** What is not in the package of the server, because it would be a fifth of it. */
export const CLOUDFLARE_PACKAGE = "toolbooth-cloudflare";

/** The Workers, without the tools of a project. */
export type EdgeParts = {
  /** Has the Wrangler configurations. */
  root: string;
  /** The main modules. */
  api: string;
  site: string;
  /** The module that makes a tool of its file. */
  ownTool: string;
  alias: Record<string, string>;
};

/** Finds them in the checkout, or in a package of the project that has what `build-package.ts` makes of them. Throws a `ToolsError`. */
export function findEdgeParts(project: string): EdgeParts {
  if (existsSync(SOURCES))
    return {
      ...{ root: ROOT, alias: aliasesIn(ROOT) },
      ...{ api: path.join(SOURCES, "api-worker.ts"), site: path.join(SOURCES, "site-worker.ts") },
      ownTool: path.join(ROOT, "src/tools/own-tool.ts"),
    };
  const manifest = findInProject(project);
  const installed = manifest && JSON.parse(readFileSync(manifest, "utf8")).version;
  if (manifest === undefined || installed !== version)
    throw new ToolsError(
      `The build for Cloudflare needs ${CLOUDFLARE_PACKAGE} ${version}, ${installed === undefined ? "which is not installed" : `but ${installed} is installed`}: run \`npm install --save-dev ${CLOUDFLARE_PACKAGE}@${version} wrangler\`.`,
    );
  const root = path.dirname(manifest);
  return {
    ...{ root, alias: {} },
    ...{ api: path.join(root, "dist/api-worker.js"), site: path.join(root, "dist/site-worker.js") },
    ownTool: path.join(ROOT, "dist/tools/own-tool.js"),
  };
}

function findInProject(project: string): string | undefined {
  try {
    const { resolve } = createRequire(path.join(project, "package.json"));
    return resolve(`${CLOUDFLARE_PACKAGE}/package.json`);
  } catch {
    return undefined;
  }
}

/** In the checkout and in the package. Operators change their copies and keep them. */
export const WRANGLER_CONFIGS = ["wrangler.jsonc", "wrangler.site.jsonc"];

/**
 * How the Workers are bundled. The names of functions are not kept (44 kB gzipped). One check of a package needs them, on certificates of
 * security keys, which are never sent: passkeys are registered with the attestation "none".
 */
export const EDGE_BUNDLING = {
  bundle: true as const,
  format: "esm" as const,
  target: "es2024",
  minify: true,
  metafile: true as const,
  // As Wrangler resolves packages.
  conditions: ["workerd", "worker", "browser"],
  external: ["cloudflare:*"],
  legalComments: "none" as const,
  logLevel: "silent" as const,
};

/**
 * The plugin for passkeys imports one function from `better-auth/db`. That module keeps all of zod, with its messages in 60 languages, in
 * the bundle (70 kB gzipped); the file that has the function does not. If it moves, the build fails.
 */
export const aliasesIn = (checkout: string): Record<string, string> => ({
  "better-auth/db": path.join(checkout, "node_modules/better-auth/dist/db/schema.mjs"),
});

export type WorkerBundle = {
  /** By their names; `worker.js` is the main one. */
  modules: Map<string, Uint8Array>;
  metafile: Metafile;
};

/**
 * Bundles both Workers with the tools of a project. In the API Worker each tool is a module that its first call loads; Wrangler would put
 * all of it into one file (docs/decisions/0060). Throws a `ToolsError` for what cannot run in a Worker.
 */
export async function bundleWorkers(
  parts: EdgeParts,
  project: string,
  served: Pick<ServedTools, "tools" | "files">,
): Promise<Record<"api" | "site", WorkerBundle>> {
  // A dependency of the package, so that who deploys to no Workers need not install it.
  const { build } = createRequire(parts.api)("esbuild") as typeof import("esbuild");
  async function bundle(
    entries: Record<string, string>,
    options: Pick<BuildOptions, "splitting" | "chunkNames" | "plugins">,
  ): Promise<WorkerBundle> {
    const { outputFiles, metafile } = await build({
      ...EDGE_BUNDLING,
      absWorkingDir: project,
      entryPoints: entries,
      outdir: path.join(project, "dist/edge"),
      write: false,
      alias: parts.alias,
      ...options,
    });
    const modules = outputFiles.map((file) => [path.basename(file.path), file.contents] as const);
    return { modules: new Map(modules), metafile };
  }
  const bundleWorker = (name: "api" | "site") =>
    bundle(
      { worker: parts[name] },
      { splitting: name === "api", plugins: [nodeModules, ownToolsOf(served)] },
    );
  const bundleOwn = () =>
    bundle(Object.fromEntries(served.files.map(({ name }) => [ownModule(name), TOOL + name])), {
      ...{ splitting: true, chunkNames: "own-chunk-[hash]" },
      plugins: [nodeModules, modulesOfTools(parts, project, served.files)],
    });
  try {
    const [api, site, own] = await Promise.all([
      ...([bundleWorker("api"), bundleWorker("site")] as const),
      served.files.length === 0 ? null : bundleOwn(),
    ]);
    if (own === null) return { api, site };
    const faults = served.files.flatMap(({ file }) => faultsOf(file, project, own.metafile));
    if (faults.length > 0) throw new ToolsError(faults.join("\n"));
    for (const { modules } of [api, site])
      for (const [name, bytes] of own.modules) modules.set(name, bytes);
    return { api, site };
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>;
    if (errors === undefined) throw error;
    throw new ToolsError(
      errors
        .map(({ text, location }) =>
          location === null ? text : `${location.file}:${location.line}: ${text}`,
        )
        .join("\n"),
    );
  }
}

/** In the place of `edge/own-tools.ts`. */
const ownToolsOf = (served: Pick<ServedTools, "tools" | "files">): Plugin => ({
  name: "own-tools",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/own-tools\.[jt]s$/ }, () => ({
      path: "own-tools",
      namespace: "toolbooth",
    }));
    onLoad({ filter: /.*/, namespace: "toolbooth" }, () => ({ contents: ownToolsModule(served) }));
    onResolve({ filter: /^toolbooth-tool:/ }, ({ path: id }) => ({
      path: `./${ownModule(id.slice(TOOL.length))}.js`,
      external: true,
    }));
  },
});

/** Has the exports of `edge/own-tools.ts`. */
function ownToolsModule({ tools, files }: Pick<ServedTools, "tools" | "files">): string {
  const own = tools.filter(({ isOwn }) => isOwn === true);
  const builtIn = tools.filter(({ isOwn }) => isOwn !== true).map(({ name }) => name);
  const list = own.map(
    ({ name }) =>
      `{ name: "${name}", secrets: ${JSON.stringify(secretsOf(name))}, importTool: () => import("${TOOL}${name}") }`,
  );
  function secretsOf(name: string) {
    return files.find((file) => file.name === name)?.secrets ?? [];
  }
  // Parsed, because a member `__proto__` of a literal would be no member.
  const descriptions = JSON.stringify(JSON.stringify(own.map(describeOwnTool)));
  return `export const OWN_TOOLS = [${list.join()}];
export const OWN_DESCRIPTIONS = /* @__PURE__ */ JSON.parse(${descriptions});
export const BUILT_IN = ${JSON.stringify(builtIn)};
`;
}

/** How generated code names a tool, and the name of the module that the tool becomes. */
const TOOL = "toolbooth-tool:";
const ownModule = (name: string) => `own-${name}`;

/**
 * The modules of the tools. They are bundled apart from the Workers, with a Zod of their own: what tools use of it would otherwise be in
 * the modules that calls of all tools load.
 */
const modulesOfTools = (
  { ownTool }: EdgeParts,
  project: string,
  files: readonly ToolFile[],
): Plugin => ({
  name: "modules-of-tools",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^toolbooth-tool:/ }, ({ path: id }) => ({
      path: id.slice(TOOL.length),
      namespace: "tool",
    }));
    onLoad({ filter: /.*/, namespace: "tool" }, ({ path: name }) => {
      const { file } = files.find((each) => each.name === name) as ToolFile;
      const contents = `import * as file from ${JSON.stringify(file)};
import { definitionsIn, ownTool } from ${JSON.stringify(ownTool)};
export default ownTool("${name}", definitionsIn("${name}", file.default)["${name}"]);
`;
      return { contents, resolveDir: project };
    });
  },
});

/**
 * The modules of Node that do their work in workerd (developers.cloudflare.com/workers/runtime-apis/nodejs). It has nearly all others too,
 * but as stubs, or with a file system in memory, in which the files of a project are not.
 */
const IN_WORKERS = new Set(
  [
    ...["assert", "assert/strict", "async_hooks", "buffer", "console", "constants", "crypto"],
    ...["diagnostics_channel", "dns", "dns/promises", "events", "http", "https", "net", "os"],
    ...["path", "path/posix", "path/win32", "perf_hooks", "process", "punycode", "querystring"],
    ...["stream", "stream/consumers", "stream/promises", "stream/web", "string_decoder", "sys"],
    ...["timers", "timers/promises", "tls", "tty", "url", "util", "util/types", "zlib"],
  ].map((name) => `node:${name}`),
);

const BUILT_IN = new RegExp(
  `^(?:node:.+|${builtinModules.filter((name) => /^[a-z]/.test(name) && !name.includes(":")).join("|")})$`,
);

/** Leaves Node's modules to the platform. Whether it has them is asked of tools only (`faultsOf`). */
export const nodeModules: Plugin = {
  name: "node-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: BUILT_IN }, ({ path: sent, kind }) => {
      const name = sent.startsWith("node:") ? sent : `node:${sent}`;
      // A module of a Worker has no `require`.
      return kind === "require-call"
        ? { path: name, namespace: "required" }
        : { path: name, external: true };
    });
    onLoad({ filter: /.*/, namespace: "required" }, ({ path: name }) => ({
      contents: `import found from "${name}"; module.exports = found;`,
    }));
    onResolve({ filter: /\.node$/ }, ({ path: name }) => ({ path: name, external: true }));
  },
};

/** What the file of a tool, and all that it imports, needs of Node: a sentence for each import. */
function faultsOf(file: string, project: string, { inputs }: Metafile): string[] {
  const tool = nameIn(project, file);
  const seen = new Set([tool]);
  const faults = new Set<string>();
  for (const name of seen) {
    for (const { path: imported, external } of inputs[name]?.imports ?? []) {
      if (external !== true) seen.add(imported);
      else if (imported.endsWith(".node"))
        faults.add(faultAt(name, imported, "is an addon for Node"));
      else if (imported.startsWith("node:") && !IN_WORKERS.has(imported))
        faults.add(faultAt(name, imported, "needs Node"));
    }
  }
  return [...faults];

  function faultAt(name: string, imported: string, why: string): string {
    // A module for `require` stands between the file and Node's module.
    const importer = name.startsWith("required:")
      ? (Object.keys(inputs).find((each) =>
          inputs[each]?.imports.some((one) => one.path === name && seen.has(each)),
        ) ?? tool)
      : name;
    const line = lineOfImport(imported.replace(/^node:/, ""), path.join(project, importer));
    const at = line === undefined ? importer : `${importer}:${line}`;
    const subject = importer === tool ? `${at}: it` : `${tool}: ${at}`;
    return `${subject} imports ${imported}, which ${why} and does not work in Cloudflare Workers. Do without it, or serve this tool from a server.`;
  }
}

/** As esbuild names a file. */
const nameIn = (project: string, file: string) =>
  path.relative(project, file).replaceAll(path.sep, "/");
