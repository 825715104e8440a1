import {
  flood,
  type Hostile,
  repeat,
  series,
  square,
  type Table,
  writtenFamily,
} from "./hostile-shapes.ts";

/**
 * Container depths below, at and above the limits of engines, with lines that must be matched against all containers.
 */
const DEPTHS = [8, 32, 64, 99, 100, 101, 128, 256, 1000];
/** Lines that are repeated after the containers. */
const TAILS: Readonly<Record<string, string>> = {
  "lazy lines": "a\n",
  "blank lines": "\n",
  "lazy lines and blank lines": "a\n\n",
  "lines one container in": "> a\n",
  "lines of a deep list": "  a\n",
};
const CONTAINERS: Readonly<Record<string, string>> = {
  quotes: "> ",
  "quotes without spaces": ">",
  lists: "- ",
  "ordered lists": "1. ",
  "quotes and lists": "> - ",
  "lists of three kinds": "- + 1) ",
};

const depths: Table = Object.fromEntries([
  ...Object.entries(CONTAINERS).flatMap(([container, marker]) =>
    Object.entries(TAILS).flatMap(([tail, line]) => [
      [
        `${container} as deep as there are ${tail}`,
        square((count) => `${marker.repeat(count)}a\n`, line, marker.length),
      ] as const,
      [`${container} 100 deep, then ${tail}`, flood(`${marker.repeat(100)}a\n`, line)] as const,
    ]),
  ),
  ...DEPTHS.flatMap((depth) => [
    [`quotes ${depth} deep on every line`, repeat(`${"> ".repeat(depth)}a\n`)] as const,
    [`quotes ${depth} deep in every paragraph`, repeat(`${">".repeat(depth)}\n\n`)] as const,
    [`lists ${depth} deep on every line`, repeat(`${"- ".repeat(depth)}a\n`)] as const,
    [`quotes ${depth} deep with one lazy line`, repeat(`${">".repeat(depth)}a\nb\n\n`)] as const,
  ]),
]);

const nested = writtenFamily("containers", {
  ...depths,
  "quotes one deeper each line": series((depth) => `${"> ".repeat(depth)}a\n`),
  "quotes one less deep each line": (size) => {
    const deepest = Math.floor(Math.sqrt(size)) - 2;
    return Array.from({ length: deepest }, (_, index) => `${"> ".repeat(deepest - index)}a\n`).join(
      "",
    );
  },
  "quotes deep, then one paragraph": (size) =>
    `${">".repeat(size / 2)}a\n\n${"a ".repeat(size / 4)}`,
  "quotes deep, then none, by turns": repeat(`${"> ".repeat(100)}a\n\nb\n\n`),
  "quotes deep, by turns with less deep": repeat(`${"> ".repeat(100)}a\n${"> ".repeat(50)}\n`),
  "an open fence in a deep list": square((depth) => `${"- ".repeat(depth)}\`\`\`\n`, "\n", 4),
  "an open fence 100 lists deep": flood(`${"- ".repeat(100)}\`\`\`\n`, "\n"),
  "an open HTML block 100 lists deep": flood(`${"- ".repeat(100)}<pre>\n`, "\n"),
  "indented code 90 lists deep": flood(`${"- ".repeat(90)}    a\n`, "\n"),
  "indented code 90 lists deep, each line": flood(
    `${"- ".repeat(90)}    a\n`,
    `${" ".repeat(190)}b\n\n`,
  ),
  "a table 90 quotes deep": flood("", `${">".repeat(90)}|a|\n${">".repeat(90)}|-|\n\n`),
  "list and quote, one deeper each line": series((depth) => `${"> - ".repeat(depth)}a\n`),
  "a footnote in each level": series((depth) => `${"> ".repeat(depth % 100)}[^${depth}]: a\n\n`),
});

const lists = writtenFamily("lists", {
  "nested by indentation": series((depth) => `${"  ".repeat(depth)}- a\n`),
  "nested by indentation, blank lines between": series((depth) => `${"  ".repeat(depth)}- a\n\n`),
  "nested by indentation, ordered": series((depth) => `${"   ".repeat(depth)}1. a\n`),
  "nested by indentation of one": series((depth) => `${" ".repeat(depth)}- a\n`),
  "nested by indentation of four": series((depth) => `${"    ".repeat(depth)}- a\n`),
  "nested by tabs": series((depth) => `${"\t".repeat(depth)}- a\n`),
  "nested, 90 deep, again and again": repeat(
    Array.from({ length: 90 }, (_, depth) => `${"  ".repeat(depth)}- a\n`).join(""),
  ),
  "nested and back again": series((index) => `${"  ".repeat(Math.abs((index % 180) - 90))}- a\n`),
  "deep, then many items at the top": (size) =>
    `${"- ".repeat(size / 2)}a\n${"- a\n".repeat(size / 8)}`,
  "deep, then many blank lines": (size) => `${"- ".repeat(size / 2)}a\n${"\n".repeat(size / 2)}`,
  "deep, then many lazy lines": (size) => `${"- ".repeat(size / 2)}a\n${"a\n".repeat(size / 4)}`,
  "tasks 90 deep": repeat(`${"- [ ] ".repeat(90)}a\n\nb\n\n`),
  "numbers that grow": series((index) => `${index}. a\n`),
  "numbers with many noughts": series((index) => `${String(index).padStart(9, "0")}. a\n`),
  "empty items, each with more spaces": series((spaces) => `-${" ".repeat(spaces)}\n`),
  "items that begin with more spaces": series((spaces) => `-${" ".repeat(spaces % 7)}a\n`),
});

export const containers: Hostile[] = [...nested, ...lists];
