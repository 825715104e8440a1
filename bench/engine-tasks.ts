import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./processes.ts";

/** What the engines do: a task is a list of inputs and the form of the result. */
export type Task = {
  name: string;
  engine: "markdown" | "qr";
  /** The form of a QR code. */
  form?: "modules" | "svg" | "png";
  /** The width of a PNG in pixels. */
  width?: number;
  inputs(): readonly string[];
};

const KB = 1024;

/** Small documents are several, because a single one could favor an engine. */
export const TASKS: readonly Task[] = [
  { name: "Markdown, 300 B", engine: "markdown", inputs: () => documents(300, 200) },
  { name: "Markdown, 1 KB", engine: "markdown", inputs: () => documents(KB, 64) },
  { name: "Markdown, 10 KB", engine: "markdown", inputs: () => documents(10 * KB, 32) },
  { name: "Markdown, 100 KB", engine: "markdown", inputs: () => documents(100 * KB, 8) },
  { name: "Markdown, 1 MB", engine: "markdown", inputs: () => documents(KB * KB, 1) },
  { name: "QR modules, URL", engine: "qr", form: "modules", inputs: () => urls(64) },
  { name: "QR modules, 1 KB", engine: "qr", form: "modules", inputs: () => mixedTexts(KB, 8) },
  {
    name: "QR modules, version 40",
    engine: "qr",
    form: "modules",
    inputs: () => mixedTexts(2_200, 3),
  },
  { name: "QR SVG, URL", engine: "qr", form: "svg", width: 256, inputs: () => urls(32) },
  { name: "QR PNG of 256 px, URL", engine: "qr", form: "png", width: 256, inputs: () => urls(16) },
  { name: "QR PNG of 1024 px, URL", engine: "qr", form: "png", width: 1024, inputs: () => urls(3) },
];

/**
 * Real Markdown: sections of the installed packages' READMEs, in the order of their paths. Each is a string of its own, as a
 * request has it; a part of a longer one would be read more slowly.
 */
function documents(chars: number, count: number): string[] {
  const text = readmes();
  const headings = [...text.matchAll(/^#{1,3} /gm)].map(({ index }) => index);
  return Array.from({ length: count }, (_, i) => {
    const start = headings[Math.floor((i * headings.length) / count)] ?? 0;
    return Buffer.from(text.slice(start, start + chars)).toString();
  });
}

/** Long enough for the largest document to start at the last heading. */
function readmes(): string {
  const folder = path.join(ROOT, "node_modules");
  const once = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /(?:^|\/)readme\.md$/i.test(name))
    .sort()
    .map((name) => `${readFileSync(path.join(folder, name), "utf8")}\n\n`)
    .join("");
  return once.repeat(1 + Math.ceil((KB * KB) / once.length));
}

const urls = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, i) => `https://example.com/orders/2026/q?i=${scramble(i).padEnd(32, scramble(i + 9))}`,
  );

/** Words, and a number in every fourth place. */
const mixedTexts = (chars: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    Array.from({ length: chars / 4 }, (_, word) =>
      word % 4 === 3 ? String(word * 7_919 * (i + 1)) : scramble(word + i * 1_000),
    )
      .join(" ")
      .slice(0, chars),
  );

const scramble = (seed: number): string => ((seed + 1) * 48_271 * 7_919).toString(36);
