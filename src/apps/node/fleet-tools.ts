import { hash } from "node:crypto";
import { describeOwnTool } from "#api/openapi/tool-description.ts";
import type { ToolPrints } from "#stores/postgres/settings.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { LastingFaults } from "./lasting-faults.ts";
import { startRounds } from "./rounds.ts";
import type { NodeStore } from "./store.ts";

/**
 * The nodes of a fleet should serve the same tools: otherwise a call fails or succeeds by the node that it meets. Each node says in
 * PostgreSQL what it serves, and while another node says something else, there is the fault "other_tools". Definitions are compared, and
 * not the code of `run`.
 */
const SAY_EVERY_MS = 30_000;
/** A node that has not said anything for so long is gone. */
const LIVE_MS = 3 * SAY_EVERY_MS;

/** `tools`: those that the node serves now. */
export function startFleetTools(
  exchange: NonNullable<NodeStore["exchangeTools"]>,
  tools: () => readonly Tool[],
  faults: Pick<LastingFaults, "set" | "clear">,
): { stop(): void } {
  let described: readonly Tool[] | undefined;
  let mine: ReturnType<typeof printsOf> = { print: "", tools: {} };

  return startRounds(0, async () => {
    // `toolbooth dev` reads them again.
    if (described !== tools()) {
      described = tools();
      mine = printsOf(described);
    }
    try {
      const others = await exchange({ ...mine, liveMs: LIVE_MS });
      const differences = describeDifferences(mine.tools, others);
      if (differences === null) faults.clear("other_tools");
      else faults.set("other_tools", toolsDiffer(differences));
    } catch {
      // The debits meet the same fault of the database, and tell it. What was found last stays.
    }
    return SAY_EVERY_MS;
  });
}

const shortHash = (text: string) => hash("sha256", text).slice(0, 16);

/** What a node serves, and one hash of it, which does not depend on the order of the tools. */
export function printsOf(tools: readonly Tool[]): { print: string; tools: ToolPrints } {
  const entries = tools
    .map((tool) => [tool.name, shortHash(JSON.stringify(describeOwnTool(tool)))] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { print: shortHash(JSON.stringify(entries)), tools: Object.fromEntries(entries) };
}

/** Null if all nodes serve the same. */
export function describeDifferences(
  mine: ToolPrints,
  others: readonly ToolPrints[],
): string | null {
  const names = new Set([mine, ...others].flatMap(Object.keys));
  const found = [...names].sort().flatMap((name) => {
    const theirs = others.map((other) => other[name]);
    if (mine[name] === undefined) return [`${name} is only there`];
    if (theirs.some((print) => print === undefined)) return [`${name} is only here`];
    return theirs.every((print) => print === mine[name]) ? [] : [`${name} is defined differently`];
  });
  if (found.length === 0) return null;
  const more = found.length - NAMED_MAX;
  return found.slice(0, NAMED_MAX).join(", ") + (more > 0 ? `, and ${more} more differ` : "");
}

const NAMED_MAX = 5;

const toolsDiffer = (differences: string) => ({
  message:
    `Another node of the fleet serves other tools than this one: ${differences}. That is normal while you replace nodes; afterwards ` +
    "give all of them the same folder of tools, the same version and the same TOOLBOOTH_BUILT_IN_TOOLS.",
  stopsCalls: false,
  isWarning: true,
});
