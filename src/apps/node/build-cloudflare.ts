import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Config } from "#config/config.ts";
import { EDGE_BODY_BYTES_LIMIT } from "#limits.ts";
import { bundleWorkers, findEdgeParts, ROOT, WRANGLER_CONFIGS } from "./bundle-workers.ts";
import { writeEdgeFiles } from "./edge-files.ts";
import { builtPages } from "./pages.ts";
import { loadTools, type ServedTools, TOOLS_FOLDER, ToolsError } from "./tools-folder.ts";

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
  requireFitting(served);
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

/** Throws a `ToolsError` that names every tool that takes more than a Worker has room for. */
function requireFitting({ tools, files }: ServedTools): void {
  const faults = tools.flatMap(({ name, file: takenFile, bodyBytesMax }) => {
    const { file = "" } = files.find((each) => each.name === name) ?? {};
    const fault = (why: string) => [
      `${path.join(TOOLS_FOLDER, path.basename(file))}: the tool ${name} ${why}`,
    ];
    if (takenFile !== undefined)
      return fault("takes a file, and Workers have no disk to store it on. Offer it on Node.");
    return bodyBytesMax > EDGE_BODY_BYTES_LIMIT
      ? fault(
          `has a \`bodyBytesMax\` of ${bodyBytesMax}, and Workers have memory for bodies of at most ${EDGE_BODY_BYTES_LIMIT} bytes. Lower it, or offer the tool on Node.`,
        )
      : [];
  });
  if (faults.length > 0) throw new ToolsError(faults.join("\n"));
}
