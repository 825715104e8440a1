import "./no-eval.ts";
import type { Tool } from "#tools/define-tool.ts";

/** Each tool is a file of its own on the wire, so that a page loads the engine it needs and no other. */
const LOADERS: Record<string, () => Promise<Tool<unknown>>> = {
  "markdown-render": async () => (await import("#tools/markdown-render/tool.ts")).markdownRender,
  "qr-code": async () => (await import("#tools/qr-code/tool.ts")).qrCode,
  hash: async () => (await import("#tools/hash/tool.ts")).hash,
  uuid: async () => (await import("#tools/uuid/tool.ts")).uuid,
  echo: async () => (await import("#tools/echo/tool.ts")).echo,
};

export async function loadTool(name: string): Promise<Tool<unknown>> {
  const load = Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined;
  if (load === undefined) throw new Error(`There is no tool ${name}`);
  return load();
}
