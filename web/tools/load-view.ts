import type { Tool } from "#tools/define-tool.ts";
import { loadTool } from "./load-tool.ts";
import type { ToolView } from "./tool-view.ts";

/** A file of each view. They are not in `load-tool.ts`, which workers load too. */
const VIEWS = import.meta.glob<ToolView>("./views/*.tsx");

export type LoadedTool = { tool: Tool<unknown>; view: ToolView };

/** A tool with what a page shows of its results. */
export async function loadToolWithView(name: string): Promise<LoadedTool> {
  const [tool, view] = await Promise.all([loadTool(name), VIEWS[`./views/${name}.tsx`]?.()]);
  return { tool, view: view ?? {} };
}
