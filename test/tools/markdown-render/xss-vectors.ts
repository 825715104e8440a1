import { readFileSync } from "node:fs";
import path from "node:path";

/**
 * All hostile documents by class, written for this project and based on known collections and bugs of engines. `xss-vectors.json`
 * has documents, and addresses to write between `<` and `>`.
 */
const { documents, addresses } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "xss-vectors.json"), "utf8"),
) as Record<"documents" | "addresses", Record<string, readonly string[]>>;

export type Vector = { class: string; markdown: string };

/** Other places for an address besides links and images, used in turn. */
const PLACES: readonly ((address: string) => string)[] = [
  (address) => `[x]\n\n[x]: <${address}>`,
  (address) => `![x]\n\n[x]: <${address}> "y"`,
  (address) => `[x](${address})`,
  (address) => `<${address}>`,
  (address) => `x ${address} y`,
  (address) => `[![x](<${address}>)](<${address}>)`,
  (address) => `|x|\n|-|\n|[y](<${address}>)|`,
  (address) => `> - [x](<${address}> "y")`,
  (address) => `[^1]\n\n[^1]: [x](<${address}>)`,
  (address) => `[https://a.b](<${address}>)`,
];

const written = Object.entries(documents).flatMap(([name, list]) =>
  list.map((each): Vector => ({ class: name, markdown: each })),
);

const placed = Object.entries(addresses).flatMap(([name, list]) =>
  list.flatMap((address, index): Vector[] =>
    [
      `[x](<${address}>)`,
      `![x](<${address}>)`,
      PLACES[index % PLACES.length]?.(address) ?? address,
    ].map((each) => ({ class: name, markdown: each })),
  ),
);

export const VECTORS: readonly Vector[] = [...written, ...placed];
