import "./no-eval.ts";
import type { Tool } from "#tools/define-tool.ts";

/** The bundler makes a file of each tool, so that a page loads the one engine that it needs. */
const LOADERS = import.meta.glob<Tool>("../../src/tools/*/tool.ts", { import: "default" });

/** Rejects when the tool is unknown or its file cannot be loaded. */
export async function loadTool(name: string): Promise<Tool> {
  const load = LOADERS[`../../src/tools/${name}/tool.ts`];
  if (load === undefined) throw new Error(`There is no tool ${name}`);
  return load();
}
