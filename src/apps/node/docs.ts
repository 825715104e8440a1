import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { DocsSources } from "#site/docs/navigation.ts";
import type { NodeLog } from "./log.ts";

const DOCS = path.join(import.meta.dirname, "../../../docs");

/** The pages of this checkout's `docs/`. Null, with a line in the log, where the folder cannot be read: calls do not need it. */
export function readDocs(logError: NodeLog["logError"]): DocsSources | null {
  try {
    return listDocs();
  } catch (cause) {
    logError("The documentation cannot be read", { cause });
    return null;
  }
}

/** The same for those who cannot do without it. Throws where the folder cannot be read. */
export const listDocs = (): DocsSources =>
  Object.fromEntries(
    readdirSync(DOCS)
      .filter((name) => name.endsWith(".md"))
      .sort()
      .map((name) => [name, readFileSync(path.join(DOCS, name), "utf8")]),
  );
