import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { openBrowser } from "../support/chromium.ts";
import { HANGS_MS } from "../support/deadline.ts";
import { visitor } from "./fixtures.ts";
import { type Mode, openPage } from "./screen-page.ts";
import { openScreenSite } from "./screen-site.ts";

/** The shell is the same on the pages that the server renders and on those of React: nothing moves from one to the next. */
const [browser, site] = await Promise.all([openBrowser(), openScreenSite(visitor)]);
after(async () => {
  site.close();
  await browser.close();
});

const PAGES = [
  "/",
  "/docs",
  "/docs/errors",
  "/nowhere",
  "/tools",
  "/tools/hash",
  "/home",
  "/settings/account",
];

/** Typefaces that arrive late would move what is measured, so that it depended on the machine: these pages do without them. */
async function openWithoutFonts(mode: Mode) {
  const opened = await openPage(browser, mode);
  await opened.page.route("**/*.woff2", (route) => route.abort());
  return opened;
}

const isReact = (path: string) => /^\/(?:tools|home|settings|sign-in|undo|unsubscribe)/.test(path);

/** The places of the visible parts of the shell: left, top, width and height; of the footer, which is below, left and width. */
const SHELL = `
  [".tb-header", ".tb-bar", ".tb-bar .tb-brand", ".tb-links a", ".tb-search", ".tb-bar>button", ".tb-visitor", ".tb-visitor :is(a,button)"]
    .flatMap((selector) => [...document.querySelectorAll(selector)].map((part) => [selector, part]))
    .filter(([, part]) => part.checkVisibility({ visibilityProperty: true }))
    .map(([selector, part]) => {
      const { x, y, width, height } = part.getBoundingClientRect();
      return [selector, part.textContent.trim().slice(0, 20), x, y, width, height].join(" ");
    })
    .concat([".tb-foot", ".tb-foot .tb-brand"].map((selector) => {
      const { x, width } = document.querySelector(selector).getBoundingClientRect();
      return [selector, x, width].join(" ");
    }))`;

/** Counts the layout shifts that no input explains: of everything, and of the shell, whatever a screen does while it loads. */
const OBSERVE_SHIFTS = `globalThis.shifts = { all: 0, shell: 0 }; new PerformanceObserver((list) => {
  for (const { hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    globalThis.shifts.all += 1;
    const isShell = ({ node }) => node?.parentElement?.closest(".tb-header,.tb-side") != null;
    if (sources.some(isShell)) globalThis.shifts.shell += 1;
  }
}).observe({ type: "layout-shift", buffered: true });`;

async function openAt(page: Page, path: string): Promise<void> {
  await page.goto(site.url + path);
  await page.locator(isReact(path) ? "main[data-rendered] h1" : "main h1").waitFor();
  // Sooner or later every page knows who the visitor is.
  await page.locator("[data-visitor=in]").waitFor({ state: "attached" });
}

for (const width of [1280, 390]) {
  describe(`the shell, ${width} pixels wide`, () => {
    it("stands at the same place on every page, and does not move while a page loads", async () => {
      const { page } = await openWithoutFonts({ colorScheme: "light", width });
      await page.addInitScript(OBSERVE_SHIFTS);
      let first: string[] | undefined;
      for (const path of PAGES) {
        await openAt(page, path);
        const parts = await page.evaluate<string[]>(SHELL);
        assert.ok(parts.length > 5, path);
        first ??= parts;
        assert.deepEqual(parts, first, path);
        const { all, shell } = await page.evaluate<Record<"all" | "shell", number>>("shifts");
        assert.equal(isReact(path) ? shell : all, 0, path);
      }
      await page.context().close();
    });
  });
}

describe("the HTML of a page of React", () => {
  it("has nothing that a user could type into before React draws it", async () => {
    for (const path of ["/sign-in", "/tools/hash", "/home"]) {
      const html = await (await fetch(site.url + path)).text();
      const [, main = ""] = /<div id="app">([\s\S]*?)<\/main>/.exec(html) ?? [];
      assert.match(main, /<h1[^>]*>[^<]+/, path);
      assert.doesNotMatch(main, /<(?:form|input|textarea|button|script)\b/, path);
    }
  });

  it("asks for the visitor once, without waiting for a script", async () => {
    const { page } = await openPage(browser, { colorScheme: "light", width: 1280 });
    for (const path of ["/sign-in", "/tools/hash", "/home"]) {
      await openAt(page, path);
      const asked = await page.evaluate(`performance.getEntriesByType("resource")
        .filter(({ name }) => name.endsWith("/dashboard/visitor")).map(({ initiatorType }) => initiatorType)`);
      assert.deepEqual(asked, ["link"], path);
    }
    await page.context().close();
  });

  it("has the heading of a link where React draws it, and says there that it needs JavaScript", async () => {
    const viewport = { width: 1280, height: 800 };
    const scriptless = await browser.newContext({ javaScriptEnabled: false, viewport });
    const { page } = await openWithoutFonts({ colorScheme: "light", width: viewport.width });
    scriptless.setDefaultTimeout(HANGS_MS);
    const bare = await scriptless.newPage();
    await bare.route("**/*.woff2", (route) => route.abort());
    for (const path of [
      "/sign-in/link#secret",
      "/undo-email-change#secret",
      "/unsubscribe?token=x",
    ]) {
      await bare.goto(site.url + path);
      await openAt(page, path);
      const [before, after] = await Promise.all(
        [bare, page].map((each) => each.locator("main h1").boundingBox()),
      );
      assert.deepEqual([before?.x, before?.y], [after?.x, after?.y], path);
      assert.equal(await bare.locator("main noscript .tb-banner").isVisible(), true, path);
    }
    await page.context().close();
    await scriptless.close();
  });
});

describe("links of the shell", () => {
  it("lead from one page of React to the next without a load, and say which page is open", async () => {
    const { page } = await openPage(browser, { colorScheme: "light", width: 1280 });
    await openAt(page, "/tools/hash");
    await page.evaluate("globalThis.isSameLoad = true");
    const header = page.locator(".tb-links");
    assert.equal(
      await header.getByRole("link", { name: "Tools" }).getAttribute("aria-current"),
      "true",
    );
    await page.getByRole("link", { name: "Dashboard", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    const side = page.getByRole("navigation", { name: "Dashboard" });
    await side.locator("a[aria-current=page]", { hasText: "Home" }).waitFor();
    await side.getByRole("link", { name: "Account" }).click();
    await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search/ }).fill("qr code");
    await page.locator("[aria-selected=true][href$='/tools/qr-code']").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/tools\/qr-code$/);
    assert.equal(await page.evaluate("globalThis.isSameLoad"), true);
    await side.waitFor({ state: "hidden" });
    await page.context().close();
  });
});
