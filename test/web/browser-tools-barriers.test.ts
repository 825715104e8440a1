import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { TOOLS } from "#tools/registry.ts";
import { openBrowser } from "../support/chromium.ts";
import { openApi } from "./browser-tools-api.ts";
import { type Opened, openTool, responseOf, textOf, VISITOR } from "./browser-tools-visit.ts";
import { openScreenSite } from "./screen-site.ts";

/** The pages of the browser tools for everyone: no barrier that axe finds, and all of it on a small screen. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];

let site: Awaited<ReturnType<typeof openScreenSite>>;
let opened: Opened;

before(async () => {
  site = await openScreenSite(VISITOR);
  opened = { url: site.url, api: await openApi(), browser: await openBrowser() };
});
after(async () => {
  await opened?.browser.close();
  await site?.close();
});

for (const [look, options] of Object.entries({
  "a desktop": { viewport: { width: 1280, height: 900 } },
  "a phone in the dark": { viewport: { width: 320, height: 640 }, colorScheme: "dark" },
})) {
  test(`no tool has a barrier on ${look}, and none is wider than the screen`, async (t) => {
    for (const name of ["", ...TOOLS.map((tool) => tool.name), "hush"]) {
      const { page } = await openTool(opened, t, name, options);
      const button = TOOLS.find((tool) => tool.name === name)?.page?.button;
      if (button !== undefined) await page.getByRole("button", { name: button }).click();
      if (name === "echo") await textOf(page).fill("{");
      if (TOOLS.some((tool) => tool.name === name)) await responseOf(page).waitFor();
      assert.deepEqual(await barriersOf(page), [], name);
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
    }
  });
}

/** The preview's frame runs no script, so axe looks at the page around it. */
async function barriersOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const options = { iframes: false, runOnly: { type: "tag", values: AXE_TAGS } };
  const { violations } = await page.evaluate<Found>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

type Found = { violations: { id: string; nodes: { html: string }[] }[] };
