import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Config } from "#config/config.ts";
import { bundleWorkers, findEdgeParts, ROOT, WRANGLER_CONFIGS } from "./bundle-workers.ts";
import { writeEdgeFiles } from "./edge-files.ts";
import { builtPages } from "./pages.ts";
import { loadTools, TOOLS_FOLDER } from "./tools-folder.ts";

/** Below the project. The Wrangler configurations name it. */
const OUT = "dist/edge";

/** What was built: where it is, the tools in it, and the configurations that did not exist. */
export type Built = { folder: string; tools: string[]; configs: string[] };

/**
 * Writes what Wrangler deploys: both Workers with the tools of the project, their assets and the migrations of D1. `log` gets a line for
 * what the operator should know. Throws a `ToolsError`.
 */
export async function buildCloudflare(
  project: string,
  { builtInTools, dataDir }: Pick<Config, "builtInTools" | "dataDir">,
  log: (line: string) => void,
): Promise<Built> {
  const parts = findEdgeParts(project);
  const served = await loadTools(builtInTools, path.join(project, TOOLS_FOLDER));
  for (const message of served.messages) log(message);
  const { api, site } = await bundleWorkers(parts, project, served);
  const pages = await builtPages({ checkout: ROOT, dataDir, say: (text) => log(text.trimEnd()) });
  await writeEdgeFiles(pages, {
    ...{ api: api.modules, site: site.modules },
    ...{ out: path.join(project, OUT), dataDir, warn: log },
  });
  const configs = WRANGLER_CONFIGS.filter((name) => !existsSync(path.join(project, name)));
  for (const name of configs)
    writeFileSync(path.join(project, name), readFileSync(path.join(parts.root, name)));
  return { folder: OUT, tools: served.tools.map(({ name }) => name), configs };
}
