import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import qrCode from "#tools/qr-code/tool.ts";
import { openBrowser } from "../support/chromium.ts";
import { fixedToolContext } from "../support/tool-context.ts";
import { bundleScript, gzippedBytes, type PagesServer, servePages } from "./pages-server.ts";

/** What the script adds to the server-rendered pages, in a real browser and under their Content-Security-Policy. */
let browser: Browser;
let server: PagesServer;
before(async () => {
  [browser, server] = await Promise.all([openBrowser(), servePages()]);
});
after(async () => {
  server.close();
  await browser.close();
});

async function open(path: string, options: Parameters<Browser["newContext"]>[0] = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(server.url + path);
  return { context, page, [Symbol.asyncDispose]: () => context.close() };
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
    const before = server.asked.length;
    for (const text of ["it's <b>naïve</b> ☕", "0123456789", "x".repeat(2000)]) {
      await field(page).fill(text);
      await awaitHash(page, text);
      const request = { text, format: "svg", errorCorrectionLevel: "M", width: 160 };
      const response = await qrCode.run(qrCode.input.parse(request), fixedToolContext());
      const source = (await page.locator("[data-try=qr]").getAttribute("src")) as string;
      assert.equal(decodeURIComponent(source.slice(source.indexOf(",") + 1)), response.output);
    }
    assert.equal(server.asked.length, before);
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

  it("costs less than 40 KB of script, and other pages do not load it", async () => {
    assert.ok(gzippedBytes(await bundleScript()) < 40 * 1024);
    server.asked.length = 0;
    await using opened = await open("/docs/quickstart");
    await opened.page.locator("button.copy").first().waitFor();
    assert.deepEqual(server.asked, ["/docs/quickstart", "/assets/main.js"]);
  });
});

describe("every block of code", () => {
  it("has a copy button that works by keyboard and announces the result", async () => {
    await using opened = await open("/docs/quickstart", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { page } = opened;
    const button = page.getByRole("button", { name: "Copy: curl" });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Copied").waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.match(copied, /^curl http:\/\/127[\s\S]*-d '\{"text":"Hello, world!"\}'$/);
    assert.equal(await button.textContent(), "Copied");
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
    await page.goto(`${server.url}/docs/webhooks`);
    await page.getByRole("radio", { name: "JavaScript" }).waitFor({ state: "attached" });
    assert.deepEqual(await shown(page), ["python"]);
    await page.getByRole("radio", { name: "Python" }).press("ArrowLeft");
    assert.deepEqual(await shown(page), ["js"]);
    // A group without the chosen language shows its first one.
    await page.evaluate("localStorage.setItem('toolbooth-docs-language', 'go')");
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

describe("the search of the documentation", () => {
  it("finds pages, error codes and settings, and loads its index when it is first used", async () => {
    await using opened = await open("/docs");
    const { page } = opened;
    const search = page.getByRole("searchbox", { name: "Search the documentation" });
    await search.waitFor();
    assert.ok(!server.asked.slice(-3).includes("/docs/search.json"));
    for (const [query, href] of [
      ["insufficient_credits", "/docs/errors#insufficient_credits"],
      ["metrics_token", "/docs/configuration#METRICS_TOKEN"],
      ["safe retries", "/docs/calls#safe-retries"],
    ] as const) {
      await search.fill(query);
      await page.locator(`.find li:first-child a[href="${href}"]`).waitFor();
    }
    await search.fill("zyxwv");
    await page.getByRole("status").getByText("No results").waitFor();
    await search.press("Escape");
    assert.equal(await search.inputValue(), "");
    assert.equal(await page.locator(".find li").count(), 0);
  });

  it("is a link to all topics where scripts are off", async () => {
    await using opened = await open("/docs", { javaScriptEnabled: false });
    await opened.page.getByRole("link", { name: "All topics" }).click();
    await opened.page.getByRole("link", { name: "METRICS_TOKEN" }).click();
    assert.match(opened.page.url(), /\/docs\/configuration#METRICS_TOKEN$/);
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

  it("is light in print", async () => {
    await using opened = await open("/docs/quickstart", { colorScheme: "light" });
    const { page } = opened;
    const box = () =>
      page.evaluate<string>("getComputedStyle(document.querySelector('.code')).backgroundColor");
    const light = await box();
    await page.emulateMedia({ colorScheme: "dark" });
    assert.notEqual(await box(), light);
    await page.emulateMedia({ colorScheme: "dark", media: "print" });
    assert.equal(await box(), light);
  });
});
