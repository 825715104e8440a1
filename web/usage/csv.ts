import { GROUPINGS, type Grouping, type Line } from "./breakdown.ts";

/** The lines of the table as CSV (RFC 4180), with plain numbers. A key has two columns, its id and its label. */
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

/** Spreadsheets would execute a label that looks like a formula; a leading apostrophe makes it text. */
function cell(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
