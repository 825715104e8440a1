import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import {
  LEGAL_BYTES_MAX,
  LEGAL_NAMES,
  type LegalName,
  type LegalSources,
  readLegalSource,
} from "#site/legal-sources.ts";
import type { NodeLog } from "./log.ts";

/** How often the files are looked at, at most: a visit in between costs nothing. In milliseconds. */
const LOOK_EVERY_MS = 2_000;

/**
 * The operator's pages in `DATA_DIR/pages`. A changed file is read again without a restart; the same object comes back while nothing
 * changed. A file that cannot be published is logged once, and again after a change.
 */
export function openLegalFiles(
  dataDir: string,
  warn: NodeLog["warn"],
  now: () => number = () => performance.now(),
): () => LegalSources {
  const folder = path.join(dataDir, "pages");
  let lookedAt = Number.NEGATIVE_INFINITY;
  let marks = "";
  let sources: LegalSources = {};
  return () => {
    if (now() - lookedAt < LOOK_EVERY_MS) return sources;
    lookedAt = now();
    const found = [folder, ...LEGAL_NAMES.map((name) => fileOf(folder, name))]
      .map(markOf)
      .join("|");
    if (found === marks) return sources;
    marks = found;
    sources = readLegalFiles(folder, warn);
    return sources;
  };
}

const fileOf = (folder: string, name: LegalName) => path.join(folder, `${name}.md`);

/** Changes when the file does, or the reason why it cannot be looked at; empty where there is none. */
function markOf(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
    return stats === undefined
      ? ""
      : `${stats.mtimeNs}.${stats.ctimeNs}.${stats.size}.${stats.ino}`;
  } catch (error) {
    return reasonOf(error);
  }
}

const reasonOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? "it cannot be read";

/** Why no file of the folder can be read; null where it can be, or does not exist. */
function problemOfFolder(folder: string): string | null {
  try {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    if (!stats.isDirectory()) return "it is not a folder";
    statSync(path.join(folder, "."));
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

export function readLegalFiles(folder: string, warn: NodeLog["warn"]): LegalSources {
  const problem = problemOfFolder(folder);
  if (problem !== null) {
    warn(`The pages in ${folder} are not published: ${problem}.`);
    return {};
  }
  const sources: Partial<Record<LegalName, string>> = {};
  for (const name of LEGAL_NAMES) {
    const file = fileOf(folder, name);
    const { text, problem } = readFile(name, file);
    if (problem !== null) warn(`${file} is not published: ${problem}.`);
    if (text !== null) sources[name] = text;
  }
  return sources;
}

function readFile(name: LegalName, file: string): ReturnType<typeof readLegalSource> {
  const rejected = (problem: string) => ({ text: null, problem });
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return { text: null, problem: null };
    if (!stats.isFile()) return rejected("it is not a file");
    // A huge file is not read.
    if (stats.size > LEGAL_BYTES_MAX)
      return rejected(`it has ${stats.size} bytes, and at most ${LEGAL_BYTES_MAX} are allowed`);
    return readLegalSource(name, readFileSync(file));
  } catch (error) {
    return rejected(reasonOf(error));
  }
}
