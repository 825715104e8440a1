/** A table as other programs take it: RFC 4180, each line ended by CR and LF. */
type CsvCell = string | number | null;

export const csv = (headings: readonly string[], rows: readonly (readonly CsvCell[])[]): string =>
  [headings, ...rows].map((row) => `${row.map(written).join(",")}\r\n`).join("");

function written(cell: CsvCell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  // Spreadsheets take a text that begins so for a formula; an address of a stranger's choice may.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
