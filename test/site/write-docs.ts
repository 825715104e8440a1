import { writeFileSync } from "node:fs";
import path from "node:path";
import { listDocs } from "#apps/node/docs.ts";
import { STARTER_CREDITS_DEFAULT, STARTER_DAYS_DEFAULT } from "#limits.ts";
import { docsFacts, PLACEHOLDER_URL } from "#site/docs/facts.ts";
import { noPrices } from "../web/sales-fixtures.ts";
import { FULL, ROOT } from "./pages-server.ts";

/**
 * `npm run docs`: writes the generated blocks into the pages of `docs/`, with the defaults of every setting, so that they are
 * complete on GitHub. The site replaces them with those of the service.
 */

/** A block on lines of its own. */
const BLOCK = /^(<!-- generated ([\w-]+)(?: ([\w-]+))? -->\n)[\s\S]*?^(<!-- end -->)$/gm;

/** Blocks that show something else on GitHub: one language instead of five, and no pages of a service. */
const OF_A_SERVICE = new Set(["sample", "browser-tool-list"]);

export function filledDocs(): Map<string, string> {
  const { blocks } = docsFacts({
    ...FULL,
    publicUrl: PLACEHOLDER_URL,
    dashboard: {
      ...{ signUp: "open", providers: [], prices: noPrices },
      starter: { credits: STARTER_CREDITS_DEFAULT, days: STARTER_DAYS_DEFAULT },
    },
  });
  const fill = (source: string) =>
    source.replace(BLOCK, (found, start: string, name: string, argument = "", end: string) => {
      const block = blocks[name];
      if (block === undefined || OF_A_SERVICE.has(name)) return found;
      return `${start}${block(argument).trimEnd()}\n${end}`;
    });
  return new Map(Object.entries(listDocs()).map(([name, source]) => [name, fill(source)]));
}

if (import.meta.main) {
  for (const [name, text] of filledDocs()) writeFileSync(path.join(ROOT, "docs", name), text);
}
