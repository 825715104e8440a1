import type { ToolContext } from "#tools/define-tool.ts";

/** What the page supplies to a tool. A test hands its own to `answerCall`; nothing else is to be replaced for it. */
export const toolContextOf = (receivedAt: number): ToolContext => ({
  receivedAt,
  random: (count) => crypto.getRandomValues(new Uint8Array(count)),
  // Loaded when a tool asks for it, which only one does.
  digest: async (algorithm, bytes) => (await import("./digest.ts")).digest(algorithm, bytes),
});
