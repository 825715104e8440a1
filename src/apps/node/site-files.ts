import path from "node:path";
import type { SiteFiles } from "#service/parts.ts";
import { readDocs } from "./docs.ts";
import { openLegalFiles } from "./legal-files.ts";
import type { NodeLog } from "./log.ts";
import { type NodePages, openPages, sourcePages } from "./pages.ts";
import { say } from "./start-text.ts";

const CHECKOUT = path.join(import.meta.dirname, "../../..");

/** The pages of `web/` and `docs/`, and the operator's own. With `npm run dev`, Vite serves those of `web/`. */
export function openSiteFiles(
  dataDir: string,
  { logError, warn }: Pick<NodeLog, "logError" | "warn">,
): SiteFiles & { pages: NodePages } {
  const isBuilt = process.env["VITE_DEV_SERVER"] === undefined;
  const pages = isBuilt ? openPages({ checkout: CHECKOUT, dataDir, say, logError }) : sourcePages();
  const docs = readDocs(logError);
  return { pages, docs: () => docs, legal: openLegalFiles(dataDir, warn) };
}
