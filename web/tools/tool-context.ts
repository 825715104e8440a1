import type { ToolContext } from "#tools/define-tool.ts";

/** The context in which the page runs a tool. Tests pass their own to `respondToCall`. */
export const toolContextOf = (receivedAt: number): ToolContext => ({
  receivedAt,
  random: (count) => crypto.getRandomValues(new Uint8Array(count)),
  // Loaded on demand, because only one tool needs it.
  digest: async (algorithm, bytes) => (await import("./hash-stream.ts")).digest(algorithm, bytes),
});
