import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Real Markdown: the READMEs of the installed packages in the order of their paths, without duplicates, and other Markdown
 * files if the READMEs are too short. The same packages give the same documents.
 */
export type Corpus = {
  files: number;
  bytes: number;
  /** The SHA-256 of the joined text. Two runs are comparable if it is the same. */
  digest: string;
  /** Whether the text is shorter than the largest document, which then repeats it. */
  repeated: boolean;
  documentsOf(size: Size): string[];
};

/** Small sizes use several documents, because a single one could favor a contender. */
export const SIZES = [
  { name: "1 KB", bytes: 1024, documents: 64 },
  { name: "10 KB", bytes: 10 * 1024, documents: 32 },
  { name: "100 KB", bytes: 100 * 1024, documents: 8 },
  { name: "1 MB", bytes: 1024 * 1024, documents: 1 },
] as const;
export type Size = (typeof SIZES)[number];

const FOLDER = path.join(import.meta.dirname, "..", "node_modules");
const README = /^readme\.(?:md|markdown)$/i;
const MARKDOWN = /\.(?:md|markdown)$/i;

export function gatherCorpus(): Corpus {
  const bytesWanted = Math.max(...SIZES.map(({ bytes }) => bytes));
  const texts = gatherTexts(bytesWanted).map((text) => `${text}\n\n`);
  if (texts.length === 0) throw new Error("node_modules contains no Markdown. Run npm ci first");
  const once = Buffer.from(texts.join(""));
  const sections = sectionsOf(texts);
  // Long enough for the largest document to start at the last section.
  const endless = Buffer.concat(
    new Array<Buffer>(1 + Math.ceil(bytesWanted / once.length)).fill(once),
  );
  return {
    files: texts.length,
    bytes: once.length,
    digest: createHash("sha256").update(once).digest("hex").slice(0, 12),
    repeated: once.length < bytesWanted,
    documentsOf: ({ bytes, documents }) =>
      Array.from({ length: documents }, (_, i) => {
        const start = sections[Math.floor((i * sections.length) / documents)] ?? 0;
        // A streaming decoder drops a character that the cut has split.
        return new TextDecoder().decode(endless.subarray(start, start + bytes), { stream: true });
      }),
  };
}

function gatherTexts(bytesWanted: number): string[] {
  const names = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && MARKDOWN.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  const isReadme = (name: string) => README.test(path.basename(name));
  const texts = new Set(names.filter(isReadme).map(read));
  let bytes = Buffer.byteLength([...texts].join(""));
  for (const name of names.filter((one) => !isReadme(one))) {
    if (bytes >= bytesWanted) break;
    const text = read(name);
    if (!texts.has(text)) bytes += Buffer.byteLength(text);
    texts.add(text);
  }
  return [...texts];
}

const read = (name: string) => readFileSync(name, "utf8").replace(/^\u{feff}/u, "");

/**
 * Returns where short documents may start: the byte offsets of files and headings. The first kilobyte of a README is mostly
 * badges, with links to definitions further down.
 */
function sectionsOf(texts: readonly string[]): number[] {
  const offsets: number[] = [];
  let offset = 0;
  for (const text of texts) {
    let fenced = false;
    for (const [number, line] of text.split("\n").entries()) {
      if (/^ {0,3}(?:```|~~~)/.test(line)) fenced = !fenced;
      if (number === 0 || (!fenced && /^#{1,6} /.test(line))) offsets.push(offset);
      offset += Buffer.byteLength(line) + 1;
    }
    // The last line has no line feed.
    offset -= 1;
  }
  return offsets;
}
