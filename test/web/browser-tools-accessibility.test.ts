import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { TOOLS } from "#tools/registry.ts";
import { openBrowser } from "../support/chromium.ts";
import { drawSample } from "../support/sample.ts";
import {
  openApi,
  openTool,
  responseOf,
  type Setup,
  textOf,
  VISITOR,
} from "./browser-tools-setup.ts";
import { openScreenSite } from "./screen-site.ts";

/** The accessibility of the browser tools, checked with axe, and their width on small screens. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];

let site: Awaited<ReturnType<typeof openScreenSite>>;
let setup: Setup;

before(async () => {
  site = await openScreenSite(VISITOR);
  setup = { url: site.url, api: await openApi(), browser: await openBrowser() };
});
after(async () => {
  await setup?.browser.close();
  await site?.close();
});

for (const [device, options] of Object.entries({
  "a desktop": { viewport: { width: 1280, height: 900 } },
  "a phone in dark mode": { viewport: { width: 320, height: 640 }, colorScheme: "dark" },
})) {
  test(`on ${device}, no tool has an accessibility violation or is wider than the screen`, async (t) => {
    const names = ["", ...TOOLS.map((tool) => tool.name), "hush"];
    const takesAll = process.env["TEST_SCREENS"] === "all";
    for (const name of drawSample(`tools on ${device}`, names, 3, takesAll)) {
      const { page } = await openTool(setup, t, name, options);
      if (name === "echo") await textOf(page).fill("{");
      if (TOOLS.some((tool) => tool.name === name)) await responseOf(page).waitFor();
      assert.deepEqual(await violationsIn(page), [], name);
      const excess = await page.evaluate<number>(
        "document.documentElement.scrollWidth - innerWidth",
      );
      assert.ok(excess <= 0, `${name} is ${excess} pixels too wide`);
    }
  });
}

/** The sandboxed preview runs no script, so axe skips it. */
async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const options = { iframes: false, runOnly: { type: "tag", values: AXE_TAGS } };
  const { violations } = await page.evaluate<AxeResult>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

type AxeResult = { violations: { id: string; nodes: { html: string }[] }[] };
