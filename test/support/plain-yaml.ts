/**
 * Reads the YAML that our own files are written in, and nothing beyond: block maps and lists, flow lists of quoted strings, `|`-less
 * scalars, comments on lines of their own, anchors on maps and aliases. Whatever else it meets is a fault.
 */
export type Yaml = string | Yaml[] | { [key: string]: Yaml };
type Line = { indent: number; text: string; number: number };

export function readYaml(source: string): Yaml[] {
  return source
    .split(/^---$/m)
    .map((document) => linesOf(document))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const value = readBlock(lines, 0, new Map());
      if (lines.length > 0) throw fault(lines[0] as Line, "is indented as nothing around it");
      return value;
    });
}

function linesOf(document: string): Line[] {
  return document.split("\n").flatMap((raw, i) => {
    if (/^\s*(?:#.*)?$/.test(raw)) return [];
    const indent = raw.search(/\S/);
    const line = { indent, text: raw.slice(indent), number: i + 1 };
    if (/\t/.test(raw) || /\s$/.test(raw)) throw fault(line, "has a tab or ends with a space");
    return [line];
  });
}

type Anchors = Map<string, Yaml>;

/** Takes the lines of a block from the front. */
function readBlock(lines: Line[], indent: number, anchors: Anchors): Yaml {
  return lines[0]?.text.startsWith("- ")
    ? readList(lines, indent, anchors)
    : readMap(lines, indent, anchors);
}

function readList(lines: Line[], indent: number, anchors: Anchors): Yaml[] {
  const items: Yaml[] = [];
  while (lines[0]?.indent === indent && lines[0].text.startsWith("- ")) {
    const line = lines[0];
    const text = line.text.slice(2);
    if (/^[\w.-]+:(?: |$)/.test(text)) {
      // A map that begins on the line of its dash.
      lines[0] = { ...line, indent: indent + 2, text };
      items.push(readMap(lines, indent + 2, anchors));
    } else {
      lines.shift();
      items.push(readScalar(line, text));
    }
  }
  return items;
}

function readMap(lines: Line[], indent: number, anchors: Anchors): { [key: string]: Yaml } {
  const map: { [key: string]: Yaml } = {};
  while (lines[0]?.indent === indent) {
    const line = lines.shift() as Line;
    const match = /^([\w./-]+):(?: (.+))?$/.exec(line.text);
    if (match === null) throw fault(line, "is no key with a value");
    const [, key, value] = match as unknown as [string, string, string | undefined];
    if (key in map) throw fault(line, `names ${key} again`);
    const anchor = /^&(\w+)$/.exec(value ?? "")?.[1];
    const alias = /^\*(\w+)$/.exec(value ?? "")?.[1];
    const inner = lines[0];
    if (alias !== undefined) {
      const named = anchors.get(alias);
      if (named === undefined) throw fault(line, `there is no anchor ${alias} before it`);
      map[key] = named;
    } else if (value !== undefined && anchor === undefined) {
      map[key] = readScalar(line, value);
    } else {
      map[key] =
        inner !== undefined && inner.indent > indent ? readBlock(lines, inner.indent, anchors) : "";
      if (anchor !== undefined) anchors.set(anchor, map[key]);
    }
  }
  return map;
}

function readScalar(line: Line, text: string): Yaml {
  if (/^[[{"]/.test(text)) return text === "{}" ? {} : (JSON.parse(text) as Yaml);
  if (/^['|>&*!%@`]|: |:$| #/.test(text)) throw fault(line, "has to be quoted");
  return text;
}

const fault = ({ number, text }: Line, what: string) =>
  new Error(`line ${number}, "${text}", ${what}`);
