import { flood, type Hostile, repeat, series, writtenFamily } from "./hostile-shapes.ts";

export const leaves: Hostile[] = writtenFamily("leaf blocks", {
  "fences of growing length": series((length) => `${"`".repeat(length + 3)}\n`),
  "fences of growing length, apart": series((length) => `${"~".repeat(length + 3)}\na\n\n`),
  "fences of falling length": (size) => {
    const longest = Math.floor(Math.sqrt(2 * size)) - 4;
    return Array.from(
      { length: longest },
      (_, index) => `${"`".repeat(longest - index + 3)}\n`,
    ).join("");
  },
  "indented code with long blank lines": flood("    a\n", `${" ".repeat(100)}\n`, "    b"),
  "rule nearly, at every line": repeat(`${"* ".repeat(50)}a\n`),
  "rule nearly, of dashes, at every line": repeat(`${"- ".repeat(50)}a\n`),
  "rule nearly, of underscores, at every line": repeat(`${"_ ".repeat(50)}a\n`),
  "rules with many spaces": repeat(`*${" ".repeat(100)}**\n`),
  "blank lines with growing spaces": series((spaces) => `${" ".repeat(spaces)}\n`),
  "a paragraph of growing indentation": series((spaces) => `${" ".repeat(spaces)}a\n`),
  "a paragraph with spaces at each end": repeat(`a${" ".repeat(100)}\n`),
  "a paragraph with tabs at each end": repeat(`a${"\t".repeat(100)}\n`),
  "alerts one deeper each line": series((depth) => `${"> ".repeat(depth % 90)}[!NOTE]\n\n`),
});
