import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import qrCode from "#tools/qr-code/tool.ts";
import { openBrowser } from "../support/chromium.ts";
import { HANGS_MS } from "../support/deadline.ts";
import { fixedToolContext } from "../support/tool-context.ts";
import { openScreenSite } from "../web/screen-site.ts";

/** What the script adds to the server-rendered pages, in a real browser and under their Content-Security-Policy. */
const [browser, site] = await Promise.all([openBrowser(), openScreenSite()]);
after(async () => {
  site.close();
  await browser.close();
});

async function open(path: string, options: Parameters<Browser["newContext"]>[0] = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(HANGS_MS);
  const page = await context.newPage();
  /** The paths that the page has asked for, but for typefaces; built files without the hash in their names. */
  const asked: string[] = [];
  page.on("request", (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin !== site.url || pathname.endsWith(".woff2")) return;
    asked.push(pathname.replace(/-[\w-]{8}\.js$/, ".js"));
  });
  await page.goto(site.url + path);
  return { context, page, asked, [Symbol.asyncDispose]: () => context.close() };
}

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** The page shows the hash after a pause in typing. */
const awaitHash = (page: Page, text: string) =>
  page.locator("[data-try=hash]").getByText(digestOf(text), { exact: true }).waitFor();

const field = (page: Page) => page.getByLabel("Your text");
const awaitField = (page: Page) => page.locator("#try-text:not([readonly])").waitFor();

describe("the field to try on the front page", () => {
  it("takes any text and shows the results of the API, without sending anything", async () => {
    await using opened = await open("/");
    const { page } = opened;
    await awaitField(page);
    const before = opened.asked.length;
    for (const text of ["it's <b>naïve</b> ☕", "0123456789", "x".repeat(2000)]) {
      await field(page).fill(text);
      await awaitHash(page, text);
      const request = { text, format: "svg", errorCorrectionLevel: "M", width: 160 };
      const response = await qrCode.run(qrCode.input.parse(request), fixedToolContext());
      const source = (await page.locator("[data-try=qr]").getAttribute("src")) as string;
      assert.equal(decodeURIComponent(source.slice(source.indexOf(",") + 1)), response.output);
    }
    assert.equal(opened.asked.length, before);
  });

  it("shows the call for a shell, with any text", async () => {
    await using opened = await open("/");
    const { page } = opened;
    await awaitField(page);
    await field(page).fill("it's");
    await awaitHash(page, "it's");
    const call = (await page.locator(".try pre").textContent()) as string;
    assert.ok(call.endsWith(`-d '{"text":"it'\\''s"}'`), call);
  });

  it("says why there is no QR code, and shows one for the next text", async () => {
    await using opened = await open("/");
    const { page } = opened;
    await awaitField(page);
    const fault = page.locator("[data-try=fault]");
    const image = page.locator("[data-try=qr]");
    for (const [text, said] of [
      ["", /needs some text/],
      ["☕".repeat(2000), /too long .* level M/],
    ] as const) {
      await field(page).fill(text);
      await awaitHash(page, text);
      assert.match((await fault.textContent()) as string, said);
      assert.equal(await image.isVisible(), false);
      await field(page).fill("short");
      await awaitHash(page, "short");
      assert.equal(await fault.textContent(), "");
      assert.equal(await image.isVisible(), true);
    }
  });

  it("is an example where scripts are off", async () => {
    await using opened = await open("/", { javaScriptEnabled: false });
    const { page } = opened;
    assert.equal(await page.locator("#try-text[readonly]").count(), 1);
    assert.match((await page.locator("#try-hint").textContent()) as string, /This is an example/);
    assert.equal(await page.locator("[data-try=qr]").isVisible(), true);
  });

  it("is not loaded by other pages", async () => {
    await using opened = await open("/docs/quickstart");
    await opened.page.locator("button.copy").first().waitFor();
    assert.deepEqual(opened.asked, ["/docs/quickstart", "/assets/front.js", "/dashboard/visitor"]);
  });
});

describe("every block of code", () => {
  it("has a copy button that works by keyboard and announces the result", async () => {
    await using opened = await open("/docs/quickstart", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { page } = opened;
    // The result is shown for a moment, which lasts until the test lets the time of the page pass.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1_000);
    const button = page.getByRole("button", { name: "Copy: curl" });
    await button.focus();
    await page.keyboard.press("Enter");
    const status = page.getByRole("status");
    await status.getByText("Copied").waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.match(copied, /^curl http:\/\/127[\s\S]*-d '\{"markdown":"# Hello[^']+"\}'$/);
    assert.equal(await button.textContent(), "Copied");
    await page.clock.runFor(2_000);
    assert.deepEqual([await button.textContent(), await status.textContent()], ["Copy", ""]);
  });
});

describe("samples in several languages", () => {
  const shown = (page: Page) =>
    page.evaluate<string[]>(
      "[...document.querySelectorAll('.tabs figure')].filter((f) => f.offsetParent !== null).map((f) => f.dataset.language)",
    );

  it("are tabs that remember the choice, on every page", async () => {
    await using opened = await open("/docs/quickstart");
    const { page } = opened;
    await page.getByRole("radio", { name: "Python" }).first().waitFor({ state: "attached" });
    assert.deepEqual(await shown(page), ["sh"]);
    await page.getByRole("radio", { name: "Python" }).first().check();
    assert.deepEqual(await shown(page), ["python"]);
    await page.goto(`${site.url}/docs/webhooks`);
    await page.getByRole("radio", { name: "JavaScript" }).waitFor({ state: "attached" });
    assert.deepEqual(await shown(page), ["python"]);
    await page.getByRole("radio", { name: "Python" }).press("ArrowLeft");
    assert.deepEqual(await shown(page), ["js"]);
    // A group without the chosen language shows its first one.
    await page.evaluate("localStorage.setItem('tb-docs-language', 'go')");
    await page.reload();
    await page.getByRole("radio", { name: "JavaScript" }).waitFor({ state: "attached" });
    assert.deepEqual(await shown(page), ["js"]);
  });

  it("follow each other where scripts are off", async () => {
    await using opened = await open("/docs/quickstart", { javaScriptEnabled: false });
    const { page } = opened;
    assert.deepEqual(await page.locator(".tabs figure:visible span").allTextContents(), [
      "curl",
      "JavaScript",
      "Python",
      "Go",
      "PHP",
    ]);
  });
});

describe("the search", () => {
  const field = (page: Page) => page.getByRole("combobox", { name: /^Search/ });
  const focused = (page: Page) =>
    page.evaluate<string>("document.activeElement.role ?? document.activeElement.className");
  const selected = (page: Page) => page.locator("[role=option][aria-selected=true]");

  it("opens with the button and the shortcut, and loads its code and index only then", async () => {
    await using opened = await open("/docs");
    const { page } = opened;
    const button = page.getByRole("button", { name: /^Search/ });
    assert.equal(await button.getAttribute("aria-keyshortcuts"), "Control+K");
    const loaded = await page.evaluate<string[]>(
      "performance.getEntriesByType('resource').map(({ name }) => name)",
    );
    assert.ok(!loaded.some((name) => name.endsWith("/docs/search.json")), loaded.join());
    const index = page.waitForRequest(/\/docs\/search\.json$/);
    await page.keyboard.press("Control+k");
    await field(page).waitFor();
    assert.equal(await focused(page), "combobox");
    await index;
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Search" }).waitFor({ state: "detached" });
    await button.focus();
    await page.keyboard.press("Enter");
    await field(page).waitFor();
    await page.keyboard.press("Escape");
    assert.match(await focused(page), /tb-search/);
  });

  it("finds pages, error codes, settings, tools and actions, and announces how many", async () => {
    await using opened = await open("/docs");
    const { page } = opened;
    await page.keyboard.press("Control+k");
    for (const [query, href] of [
      ["insufficient_credits", "/docs/errors#insufficient_credits"],
      ["metrics_token", "/docs/configuration#METRICS_TOKEN"],
      ["calls from browsers", "/docs/calls#calls-from-browsers"],
      ["qr code", "/tools/qr-code"],
    ] as const) {
      await field(page).fill(query);
      await page.locator(`[role=option][aria-selected=true][href="${href}"]`).waitFor();
      await page
        .getByRole("status")
        .getByText(/^\d+ results?$/)
        .waitFor();
    }
    await field(page).fill("zyxwv");
    await page.getByRole("status").getByText("No results").waitFor();
    assert.equal(await page.getByRole("option").count(), 0);
    // A visitor who is not signed in has no keys to create.
    await field(page).fill("create api key");
    assert.equal(await page.getByRole("option", { name: "Create API key" }).count(), 0);
  });

  it("is used with the keyboard alone", async () => {
    await using opened = await open("/docs");
    const { page } = opened;
    await page.keyboard.press("Control+k");
    await field(page).waitFor();
    const first = await selected(page).textContent();
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await selected(page).textContent(), first);
    assert.equal(
      await field(page).getAttribute("aria-activedescendant"),
      await selected(page).getAttribute("id"),
    );
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    const options = await page.getByRole("option").allTextContents();
    assert.equal(await selected(page).textContent(), options.at(-1));
    await page.keyboard.type("dark app");
    await page.keyboard.press("Enter");
    await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
    await page.keyboard.press("Control+k");
    await field(page).waitFor();
    await page.keyboard.type("idempotency_key_reused");
    await page.locator("[aria-selected=true][href$='#idempotency_key_reused']").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/errors#idempotency_key_reused$/);
  });

  it("says so where the documentation cannot be searched, and tries again", async () => {
    await using opened = await open("/docs");
    const { page } = opened;
    await page.route("**/docs/search.json", (route) => route.abort());
    await page.keyboard.press("Control+k");
    await page
      .getByRole("status")
      .getByText(/cannot be searched now/)
      .waitFor();
    await page.keyboard.press("Escape");
    await page.unrouteAll();
    await page.keyboard.press("Control+k");
    await field(page).fill("safe retries");
    await page
      .getByRole("option", { name: /^Safe retries/ })
      .first()
      .waitFor();
  });

  it("is a link to all topics where scripts are off", async () => {
    await using opened = await open("/docs", { javaScriptEnabled: false });
    assert.equal(await opened.page.getByRole("button", { name: /^Search/ }).count(), 0);
    await opened.page.getByRole("link", { name: "All topics" }).click();
    await opened.page.getByRole("link", { name: "METRICS_TOKEN" }).click();
    assert.match(opened.page.url(), /\/docs\/configuration#METRICS_TOKEN$/);
  });
});

describe("the header of a page that is the same for all visitors", () => {
  const answer = (page: Page, user: { email: string } | null) =>
    page.route("**/dashboard/visitor", (route) => route.fulfill({ json: { user } }));
  const link = (page: Page, name: string) =>
    page.locator(".tb-visitor").getByRole("link", { name, exact: true });

  it("shows the links of a signed-in user, at once on the next page, and of everybody else after signing out", async () => {
    await using opened = await open("/docs");
    const { page } = opened;
    await link(page, "Sign in").waitFor();
    await page.evaluate("localStorage.clear()");
    await answer(page, { email: "ada@example.com" });
    await page.reload();
    await link(page, "Dashboard").waitFor();
    // The next page knows before the service responds.
    await page.unrouteAll();
    await page.route("**/dashboard/visitor", () => {});
    await page.goto(`${site.url}/docs/errors`, { waitUntil: "commit" });
    await link(page, "Dashboard").waitFor();
    assert.equal(await link(page, "Sign in").isVisible(), false);
    await page.unrouteAll();
    await answer(page, { email: "ada@example.com" });
    await page.reload();
    await page.getByRole("button", { name: "Account: ada@example.com" }).click();
    await page.route("**/dashboard/auth/sign-out", (route) => route.fulfill({ status: 500 }));
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("alert").getByText("You could not be signed out. Try again.").waitFor();
    await page.route("**/dashboard/auth/sign-out", (route) => route.fulfill({ json: {} }));
    await page.getByRole("button", { name: "Sign out" }).click();
    await link(page, "Sign in").waitFor();
    // Nobody is signed in, and the browser knows: it does not ask again.
    const before = opened.asked.length;
    await page.unrouteAll();
    await page.goto(`${site.url}/docs`);
    await page.getByRole("button", { name: /^Search/ }).waitFor();
    assert.deepEqual(opened.asked.slice(before), ["/docs", "/assets/front.js"]);
  });

  it("offers the pages in a menu on a phone, without a script too", async () => {
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await open("/docs", {
        javaScriptEnabled,
        viewport: { width: 390, height: 800 },
      });
      const { page } = opened;
      const menu = page.getByRole("dialog", { name: "Menu" });
      await page.getByRole("button", { name: "Menu" }).click();
      await menu.getByRole("link", { name: "Sign in" }).waitFor();
      assert.equal(await menu.getByRole("link", { name: "API keys" }).count(), 0);
      await page.keyboard.press("Escape");
      await menu.waitFor({ state: "hidden" });
    }
  });

  it("prints without its header and in light colours", async () => {
    await using opened = await open("/docs/quickstart", { colorScheme: "light" });
    const { page } = opened;
    const box = () =>
      page.evaluate<string>("getComputedStyle(document.querySelector('.code')).backgroundColor");
    const light = await box();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
    assert.notEqual(await box(), light);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    assert.equal(await box(), light);
    assert.equal(await page.locator(".tb-header").isVisible(), false);
    assert.equal(await page.locator(".side").isVisible(), false);
    const colour = "getComputedStyle(document.querySelector('main h2')).color";
    assert.match(await page.evaluate<string>(colour), /^rgb\((?:\d|[1-4]\d), /);
  });
});

describe("tables on a phone", () => {
  it("fit or can be scrolled to their end", async () => {
    await using opened = await open("/docs/errors", { viewport: { width: 320, height: 700 } });
    const { page } = opened;
    for (const path of ["/docs/errors", "/docs/configuration", "/docs/hash", "/docs/edge-costs"]) {
      await page.goto(site.url + path);
      const cut = await page.evaluate<number>(
        `[...document.querySelectorAll("table")].filter((table) => {
          const region = table.closest(".scroll");
          region.scrollLeft = 1e6;
          return table.getBoundingClientRect().right > region.getBoundingClientRect().right + 1;
        }).length`,
      );
      assert.equal(cut, 0, path);
      assert.equal(await page.evaluate<number>("document.documentElement.scrollWidth"), 320, path);
    }
  });
});

describe("the colour scheme", () => {
  const ground = (page: Page) =>
    page.evaluate<string>("getComputedStyle(document.body).backgroundColor");

  it("follows the system, and a choice on the dashboard takes precedence", async () => {
    await using opened = await open("/docs/quickstart", { colorScheme: "light" });
    const { page } = opened;
    const light = await ground(page);
    for (const [chosen, isLight] of [
      ["dark", false],
      ["auto", true],
      ["light", true],
    ] as const) {
      await page.evaluate(`localStorage.setItem("mantine-color-scheme-value", "${chosen}")`);
      await page.reload();
      assert.equal((await ground(page)) === light, isLight, chosen);
    }
    await page.emulateMedia({ colorScheme: "dark" });
    assert.equal(await ground(page), light, "chosen light, though the system is dark");
  });
});
