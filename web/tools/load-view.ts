import { type ToolDescription, toolOfDescription } from "#api/openapi/tool-description.ts";
import type { ToolShown } from "#site/app-shell.ts";
import type { Tool } from "#tools/define-tool.ts";
import { request } from "../request.ts";
import { loadTool } from "./load-tool.ts";
import type { ToolView } from "./tool-view.ts";

/** A file of each view. They are not in `load-tool.ts`, which workers load too. */
const VIEWS = import.meta.glob<ToolView>("./views/*.tsx");

export type LoadedTool = { tool: Tool<unknown>; view: ToolView };

/** A tool with what a page shows of its results. Of one that runs on the server alone, it is what its form needs. */
export async function loadToolWithView({ name, page }: ToolShown): Promise<LoadedTool> {
  if (page === "api") {
    const described = await request<ToolDescription>("GET", `/tools/${name}.json`);
    return { tool: toolOfDescription(described), view: {} };
  }
  const [tool, view] = await Promise.all([loadTool(name), VIEWS[`./views/${name}.tsx`]?.()]);
  return { tool, view: view ?? {} };
}
