import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Markdown that people wrote: the READMEs of the installed packages in the order of their paths, each text once, and
 * further Markdown files only where READMEs are too few. The same packages give the same documents.
 */
export type Corpus = {
  files: number;
  bytes: number;
  /** Of the joined text: figures of two runs are of the same documents where this is the same. */
  digest: string;
  /** There was less text than the largest document is long, so it begins again within it. */
  repeated: boolean;
  documentsOf(size: Size): string[];
};

/** Several documents of the small sizes take turns: one alone would flatter whom it suits. */
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
  if (texts.length === 0) throw new Error("node_modules holds no Markdown; run npm ci first");
  const once = Buffer.from(texts.join(""));
  const sections = sectionsOf(texts);
  // Long enough for the largest document to begin at the last section.
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
        // A character that the cut halves is left out: a stream waits for the rest of it.
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
 * Where a short document may begin: the offsets in bytes of the files and of their headings. The first kilobyte of a
 * README alone would be badges, most of them links to definitions further down.
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
    // The last piece that split() gives has no line end after it.
    offset -= 1;
  }
  return offsets;
}
