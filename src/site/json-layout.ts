const INNER_LINE_CHARS_MAX = 60;

/** Indented JSON in which an inner list or object stays on one line where it fits: shorter to read than JSON.stringify. */
export function layOutJson(value: unknown, margin = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const line = inOneLine(value);
  const isInner = margin !== "";
  if (line.length <= (isInner ? INNER_LINE_CHARS_MAX : 2)) return line;
  const inner = `${margin}  `;
  const lines = members(value, (member) => layOutJson(member, inner)).join(`,\n${inner}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${inner}${lines}\n${margin}${close}`;
}

function inOneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const all = members(value, inOneLine).join(", ");
  if (Array.isArray(value)) return `[${all}]`;
  return all === "" ? "{}" : `{ ${all} }`;
}

const members = (value: object, write: (member: unknown) => string): string[] =>
  Array.isArray(value)
    ? value.map(write)
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${write(member)}`);
