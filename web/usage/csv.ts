import { GROUPINGS, type Grouping, type Line } from "./breakdown.ts";

/** The lines that are shown as CSV (RFC 4180), the figures without separators. Keys come with id and label. */
export function csvOf(lines: Line[], grouping: Grouping, labelOf: (key: string) => string): string {
  const parts: readonly string[] = GROUPINGS[grouping].parts;
  const head = parts.flatMap((part) => {
    if (part === "day") return ["day_utc"];
    return part === "key" ? ["key_id", "key_label"] : [part];
  });
  const rows = lines.map((line) => [
    ...(line.day === undefined ? [] : [line.day]),
    ...(line.tool === undefined ? [] : [line.tool]),
    ...(line.key === undefined ? [] : [line.key, labelOf(line.key)]),
    String(line.calls),
    String(line.credits),
  ]);
  const table = [[...head, "calls", "credits"], ...rows];
  return `${table.map((cells) => cells.map(cell).join(",")).join("\r\n")}\r\n`;
}

/** A spreadsheet would run a label that begins like a formula: an apostrophe makes it a text. */
function cell(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
