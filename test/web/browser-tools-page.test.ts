import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { HASH_TEXT_BYTES_MAX, TOOL_TIMEOUT_MS } from "#limits.ts";
import { TOOLS } from "#tools/registry.ts";
import { eventually } from "../http/test-api.ts";
import { openBrowser } from "../support/chromium.ts";
import { openApi } from "./browser-tools-api.ts";
import {
  assertResponses,
  type Opened,
  openTool,
  shownResponse,
  textOf,
  VISITOR,
} from "./browser-tools-visit.ts";
import { openScreenSite } from "./screen-site.ts";

/** The pages of the browser tools, as built and as a person uses them. */

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

let driven = 0;
after(() => console.log(`${driven} answers of the pages' forms are those of the API`));

async function assertFollows(page: Page, tool: string, body: unknown, act: () => Promise<unknown>) {
  await act();
  await assertResponses(opened, page, tool, body);
  driven += 1;
}

/** One of the values that stand side by side. */
const choose = (page: Page, value: string) =>
  page
    .locator("label")
    .filter({ hasText: new RegExp(`^${value}$`) })
    .last()
    .click();

const TEXTS = [
  "",
  "a",
  "naïve café ☕ 😀",
  "line\nline\n\ttab",
  '\'; rm -rf "$HOME"',
  "\u2028\u202e",
  "7".repeat(3000),
];

test("what is typed into the form of hash is answered as the API answers it", async (t) => {
  const { page, loggedErrors } = await openTool(opened, t, "hash");
  for (const text of TEXTS) {
    await assertFollows(page, "hash", { text }, () => textOf(page).fill(text));
  }
  for (const algorithm of ["sha1", "sha384", "sha512"]) {
    await assertFollows(page, "hash", { text: TEXTS.at(-1), algorithm }, () =>
      choose(page, algorithm),
    );
  }
  assert.deepEqual(loggedErrors, []);
});

test("what is typed into the form of qr-code is answered as the API answers it, refusals at their fields", async (t) => {
  const { page, loggedErrors } = await openTool(opened, t, "qr-code");
  for (const text of TEXTS) {
    await assertFollows(page, "qr-code", { text }, () => textOf(page).fill(text));
  }
  const long = "~".repeat(2500);
  await assertFollows(page, "qr-code", { text: long }, () => textOf(page).fill(long));
  const [fault] = ((await textOf(page).getAttribute("aria-describedby")) ?? "").split(/\s+/);
  const said = page.locator(`[id="${fault}"]`);
  const { errors } = JSON.parse((await shownResponse(page)) as string);
  assert.equal(await said.textContent(), errors[0].detail);
  const text = "https://example.com";
  await assertFollows(page, "qr-code", { text }, () => textOf(page).fill(text));
  const image = page.getByRole("img", { name: "The QR code of the text" });
  for (const format of ["svg", "utf8", "png"]) {
    const sent = format === "png" ? { text } : { text, format };
    await assertFollows(page, "qr-code", sent, () => choose(page, format));
    await image.waitFor();
  }
  for (const width of [1, 64.5, 4000]) {
    const field = page.getByRole("textbox", { name: "width" });
    await assertFollows(page, "qr-code", { text, width }, () => field.fill(String(width)));
  }
  await eventually("the picture is 2048 pixels wide", () =>
    page.evaluate<boolean>(`document.querySelector(".tool-qr")?.naturalWidth === 2048`),
  );
  assert.deepEqual(loggedErrors, []);
});

test("what is typed into the form of echo is answered as the API answers it", async (t) => {
  const { page, loggedErrors } = await openTool(opened, t, "echo");
  for (const body of [
    "",
    "null",
    '{"b":1,"a":12345678901234567890}',
    "[1,\n 2",
    "  1.0 ",
    '"é"',
    "{'a':1}",
  ]) {
    await assertFollows(page, "echo", body, () => textOf(page).fill(body));
  }
  assert.deepEqual(loggedErrors, []);
});

test("what is typed into the form of markdown-render is answered, and rendered in a frame without rights", async (t) => {
  const { page, loggedErrors, requests } = await openTool(opened, t, "markdown-render");
  for (const markdown of [
    ...TEXTS,
    "# A\n\n![x](https://a.example/x.png) [b](https://b.example)\n\n[^1]\n\n[^1]: c",
  ]) {
    await assertFollows(page, "markdown-render", { markdown }, () => textOf(page).fill(markdown));
  }
  const frame = page.frameLocator("iframe");
  await frame.getByRole("heading", { name: "A" }).waitFor();
  assert.equal(await page.locator("iframe").getAttribute("sandbox"), "");
  await page.getByText("Images are not loaded").waitFor();
  await frame.getByRole("link", { name: "1" }).click();
  await frame.getByRole("link", { name: "b" }).click();
  await frame.getByRole("heading", { name: "A" }).waitFor();
  assert.equal(page.context().pages().length, 1);
  await choose(page, "text");
  await page.getByRole("figure", { name: "Plain text" }).waitFor();
  assert.deepEqual(
    requests.filter((request) => !request.includes(site.url)),
    [],
  );
  assert.deepEqual(
    loggedErrors.filter((text) => !text.includes("allow-popups")),
    [],
  );
});

test("UUIDs are made on the button, new ones each time, and none before", async (t) => {
  const { page, loggedErrors } = await openTool(opened, t, "uuid");
  const count = page.getByRole("textbox", { name: "count" });
  for (const wrong of ["0", "501", "1.5", "-3"]) {
    await assertFollows(page, "uuid", { count: Number(wrong) }, () => count.fill(wrong));
  }
  await count.fill("500");
  await page.getByText("Press Generate for a new result.").waitFor();
  assert.equal(await shownResponse(page), null);
  const seen = new Set<string>();
  for (let round = 1; round <= 2; round += 1) {
    const before = await shownResponse(page);
    await page.getByRole("button", { name: "Generate" }).click();
    await eventually("new ones", async () => (await shownResponse(page)) !== before);
    const { uuids } = JSON.parse((await shownResponse(page)) as string) as { uuids: string[] };
    for (const uuid of uuids) seen.add(uuid);
    assert.equal(seen.size, 500 * round);
  }
  assert.deepEqual(loggedErrors, []);
});

test("a large file is answered in a worker, letter for letter, and a shorter text in between is not held up", async (t) => {
  const { page, loggedErrors } = await openTool(opened, t, "hash");
  const text = `\ufeff${"line one\r\nline two\n".repeat(50_000)}`;
  const worker = page.waitForEvent("worker");
  const buffer = Buffer.from(text);
  const file = { name: "notes.txt", mimeType: "text/plain", buffer };
  await assertFollows(page, "hash", { text }, () => page.setInputFiles("input[type=file]", file));
  await worker;
  await page.setInputFiles("input[type=file]", { ...file, buffer: buffer.subarray(3) });
  await page.getByRole("button", { name: "Clear" }).click();
  await assertResponses(opened, page, "hash", { text: "" });
  assert.deepEqual(loggedErrors, []);
});

test("a file that is too large or no text is refused in words, and the input stays", async (t) => {
  const { page } = await openTool(opened, t, "hash");
  const upload = (name: string, buffer: Buffer) =>
    page.setInputFiles("input[type=file]", { name, mimeType: "text/plain", buffer });
  await upload("big.txt", Buffer.alloc(HASH_TEXT_BYTES_MAX + 1, "a"));
  await page
    .getByText("“big.txt” has 1,048,577 bytes, and the limit is 1,048,576 bytes.")
    .waitFor();
  await upload("picture.png", Buffer.from([0x89, 0x50, 0xff]));
  await page.getByText("“picture.png” is not text in UTF-8").waitFor();
  assert.equal(await textOf(page).inputValue(), "Hello, world!");
});

test("a call that takes too long is stopped, and the next one works", async (t) => {
  const { page } = await openTool(opened, t, "hash");
  // A worker that never answers stands for a slow one; only the clock of the page is moved.
  await page.route("**/tool-worker*", (route) =>
    route.fulfill({ contentType: "text/javascript", body: "" }),
  );
  await page.clock.install();
  const file = { name: "a.txt", mimeType: "text/plain", buffer: Buffer.alloc(500_000, "a") };
  const worker = page.waitForEvent("worker");
  await page.setInputFiles("input[type=file]", file);
  await page.getByText("500,000 bytes, taken").waitFor();
  await page.clock.runFor(1_000);
  await worker;
  await page.getByText("Working.").first().waitFor();
  await page.clock.runFor(TOOL_TIMEOUT_MS);
  await page.getByText("was stopped. Try a shorter input.").waitFor();
  await page.unroute("**/tool-worker*");
  await page.getByRole("button", { name: "Clear" }).click();
  await page.clock.runFor(1_000);
  await page
    .getByText("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    .first()
    .waitFor();
});

test("what is entered leaves the page by no way: not in an address, not in a request, not in storage", async (t) => {
  const { page, requests } = await openTool(opened, t, "echo");
  const secret = "a-word-that-nobody-else-has";
  await textOf(page).fill(JSON.stringify(secret));
  await assertResponses(opened, page, "echo", JSON.stringify(secret));
  const kept = await page.evaluate<string[]>(
    `[location.href, document.cookie, ...Object.values({ ...localStorage, ...sessionStorage })]`,
  );
  assert.doesNotMatch([...requests, ...kept].join("\n"), new RegExp(secret));
  for (const request of requests) {
    assert.match(
      request,
      new RegExp(`^GET (?:${site.url}/(?:tools|assets|dashboard/visitor)|data:)`),
    );
  }
});

test("a page loads the engine of its own tool and no other", async (t) => {
  const engines = TOOLS.map(({ name }) => name);
  for (const name of engines) {
    const { page, requests } = await openTool(opened, t, name);
    await page.getByRole("heading", { name: "Result" }).waitFor();
    const loaded = engines.filter((engine) =>
      requests.some((request) => new RegExp(`/assets/${engine}-[\\w-]+\\.js$`).test(request)),
    );
    assert.deepEqual(loaded, [name]);
  }
});

test("an unknown tool is told so, with the way to the others", async (t) => {
  const { page } = await openTool(opened, t, "hush");
  await page.getByText("No tool is called “hush”").waitFor();
  await page.getByRole("link", { name: "See all tools" }).click();
  await page.getByRole("link", { name: /^Markdown/ }).waitFor();
});
