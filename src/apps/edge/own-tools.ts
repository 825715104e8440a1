import type { ToolDescription } from "#api/openapi/tool-description.ts";
import type { Tool } from "#tools/define-tool.ts";

/**
 * The tools of the operator's folder. `toolbooth build cloudflare` puts a module with those of a project in the place of this one
 * (`ownToolsModule` in apps/node/bundle-workers.ts), so here there are none.
 */
export type OwnTool = Pick<Tool, "name"> & {
  /** The settings that it needs. */
  secrets: readonly string[];
  /** The first call of the tool loads its module. */
  importTool(): Promise<{ default: Tool }>;
};

export const OWN_TOOLS: readonly OwnTool[] = [];

/** What the site says of them, without their code. */
export const OWN_DESCRIPTIONS: readonly ToolDescription[] = [];

/** The names of the tools that come with Toolbooth and are offered; null for all. */
export const BUILT_IN: readonly string[] | null = null;
