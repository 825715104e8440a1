import type { OwnTool } from "#apps/edge/own-tools.ts";
import { ownTool } from "#tools/own-tool.ts";
import { HELD_TOOLS, heldTool } from "../held-tools.ts";

/**
 * What stands in the place of `apps/edge/own-tools.ts`: tools that write down their runs. A Worker has no files, so its test does that for
 * them, at `WITNESS_URL`.
 */
declare const WITNESS_URL: string;

const TOOLS = HELD_TOOLS.map((held) =>
  ownTool(
    held.name,
    heldTool(held, async (name, { callId, fetch }) => {
      const body = JSON.stringify({ name, callId });
      await (await fetch(WITNESS_URL, { method: "POST", body })).arrayBuffer();
    }),
  ),
);

export const OWN_TOOLS: readonly OwnTool[] = TOOLS.map((tool) => ({
  ...{ name: tool.name, bodyBytesMax: tool.bodyBytesMax, secrets: [] },
  importTool: async () => ({ default: tool }),
}));
export const BUILT_IN = null;
