import type { LazyTool, Tool } from "#tools/define-tool.ts";
import { BUILT_IN, OWN_TOOLS } from "./own-tools.ts";
import { loadOwnTool } from "./run-own-tool.ts";

/** Whether a tool that comes with Toolbooth is offered. */
export const isOffered = ({ name }: { name: string }): boolean =>
  BUILT_IN === null || BUILT_IN.includes(name);

/**
 * The tools that come with Toolbooth, in the API Worker. Each is a module of its own in what is deployed, which the first call of the tool
 * loads (docs/decisions/0060).
 */
export const LAZY_TOOLS: readonly LazyTool[] = [
  lazy("markdown-render", () => import("#tools/markdown-render/tool.ts")),
  lazy("qr-code", () => import("#tools/qr-code/tool.ts")),
  lazy("hash", () => import("#tools/hash/tool.ts")),
  lazy("uuid", () => import("#tools/uuid/tool.ts")),
  lazy("echo", () => import("#tools/echo/tool.ts")),
];

/** The tools of the API Worker, in the order of a server's. */
export const API_TOOLS: readonly LazyTool[] = [
  ...OWN_TOOLS.map(({ name }) => ({ name, load: () => loadOwnTool(name) })),
  ...LAZY_TOOLS.filter(isOffered),
];

function lazy(name: string, importTool: () => Promise<{ default: Tool }>): LazyTool {
  // Not the promise, because a request may not wait for that of another one.
  let tool: Tool | undefined;
  const load = async () => {
    tool ??= (await importTool()).default;
    return tool;
  };
  return { name, load };
}
