import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ofBytes } from "./hostile-shapes.ts";

/** The documentation of this project, `bytes` bytes of it, to compare hostile documents with. */
export function ordinaryDocument(bytes: number): string {
  const docs = path.join(import.meta.dirname, "../../../docs");
  const all = readdirSync(docs)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${readFileSync(path.join(docs, name), "utf8")}\n\n`)
    .join("");
  const document = all.repeat(Math.ceil(bytes / Buffer.byteLength(all)));
  return ofBytes((size) => document.slice(0, size), bytes);
}
