import type { UsageView } from "#api/dashboard/shapes.ts";

/** Filters the rows of the usage and groups them. */
export type Row = UsageView["rows"][number];
type Filter = { tool: string | null; key: string | null };
export type UsageSums = { calls: number; credits: number };
/** A line of the table. The dimensions that the rows are not grouped by are absent. */
export type Line = UsageSums & { id: string; day?: string; tool?: string; key?: string };

type Part = "day" | "tool" | "key";
export const GROUPINGS = {
  "day-tool": { title: "Day and tool", parts: ["day", "tool"], split: "tool" },
  "day-key": { title: "Day and key", parts: ["day", "key"], split: "key" },
  day: { title: "Day", parts: ["day"], split: "tool" },
  tool: { title: "Tool", parts: ["tool"], split: "tool" },
  key: { title: "Key", parts: ["key"], split: "key" },
  all: { title: "Day, tool and key", parts: ["day", "tool", "key"], split: "tool" },
} as const satisfies Record<
  string,
  { title: string; parts: readonly Part[]; split: "tool" | "key" }
>;
export type Grouping = keyof typeof GROUPINGS;

export const filterRows = (rows: Row[], { tool, key }: Filter): Row[] =>
  rows.filter((row) => (tool === null || row.tool === tool) && (key === null || row.key === key));

export const sum = (rows: UsageSums[]): UsageSums => ({
  calls: rows.reduce((total, { calls }) => total + calls, 0),
  credits: rows.reduce((total, { credits }) => total + credits, 0),
});

/** The lines of the table: newest day first, or most calls first if they are not grouped by day. */
export function linesOf(rows: Row[], grouping: Grouping): Line[] {
  const parts: readonly Part[] = GROUPINGS[grouping].parts;
  const lines = new Map<string, Line>();
  for (const row of rows) {
    const id = parts.map((part) => row[part]).join(" ");
    const line = lines.get(id) ?? {
      id,
      ...Object.fromEntries(parts.map((part) => [part, row[part]])),
      calls: 0,
      credits: 0,
    };
    line.calls += row.calls;
    line.credits += row.credits;
    lines.set(id, line);
  }
  return [...lines.values()].sort(
    (one, other) =>
      (other.day ?? "").localeCompare(one.day ?? "") ||
      other.calls - one.calls ||
      one.id.localeCompare(other.id),
  );
}
