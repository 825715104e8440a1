import path from "node:path";
import type { BuiltPages } from "#site/site-context.ts";
import type { NodeLog } from "./log.ts";
import { openPages } from "./pages.ts";

/** The built pages of this checkout, as the site uses them. */
export function openNodePages(dataDir: string, log: NodeLog): BuiltPages & { close(): void } {
  const { serveAsset, assetsFor, settled, close } = openPages({
    checkout: path.join(import.meta.dirname, "../../.."),
    dataDir,
    say: (text) => process.stdout.write(text),
    logError: log.logError,
  });
  let front: string | null = null;
  void settled.then(async () => {
    front = (await assetsFor(FRONT_ENTRY))?.scripts[0] ?? null;
  });
  return { serveAsset, assetsFor, close, frontScript: () => front };
}

/** The script of server-rendered pages. */
const FRONT_ENTRY = "front/main.ts";
