import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** Where a server of a test has the script of axe. Browsers keep a script that comes from a server compiled. */
export const AXE_PATH = "/axe.js";
export const AXE_HEADERS = {
  "Content-Type": "text/javascript",
  "Cache-Control": "public, max-age=31536000, immutable",
};
export const readAxe = (): string =>
  readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** WCAG 2.2 AA, as far as axe can check it. */
const RULES: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
  // Neither is used here, and both take time.
  preload: false,
  selectors: false,
};

/** What surrounds the content of every page and is the same on all of them. A short page has most of its elements there. */
const FRAME = ".tb-header, .tb-side, .tb-footer, .side";

/** One line for each violation and element. `content`: of the page without its frame, which is hidden and keeps its place. */
export async function findViolations(page: Page, part: "all" | "content"): Promise<string[]> {
  if (part === "content")
    await page.evaluate(
      `document.querySelectorAll("${FRAME}").forEach((each) => { each.style.visibility = "hidden"; })`,
    );
  const { violations } = (await page.evaluate(
    `import("${AXE_PATH}").then(() => axe.run(document, ${JSON.stringify(RULES)}))`,
  )) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
