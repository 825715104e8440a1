import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { HASH_TEXT_BYTES_MAX, TOOL_TIMEOUT_MS } from "#limits.ts";
import { TOOLS } from "#tools/registry.ts";
import { eventually } from "../http/test-api.ts";
import { openBrowser } from "../support/chromium.ts";
import { sampleTests } from "../support/sample.ts";
import {
  assertResponses,
  openApi,
  openTool,
  type Setup,
  shownResponse,
  textOf,
  VISITOR,
} from "./browser-tools-setup.ts";
import { openScreenSite } from "./screen-site.ts";

/** The pages of the browser tools, as built. A run draws six of the sentences; TEST_BROWSER=all takes all. */
const { test, draw } = sampleTests("forms of the tools", 6, process.env["TEST_BROWSER"] === "all");

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

let compared = 0;
after(() => console.log(`${compared} responses of the forms are identical to those of the API`));

/** Performs an action, then waits until the page shows the API's response to `body`. */
async function assertFollows(
  page: Page,
  tool: string,
  body: unknown,
  action: () => Promise<unknown>,
) {
  await action();
  await assertResponses(setup, page, tool, body);
  compared += 1;
}

/** Chooses an option of a segmented control. */
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

test("the form of hash gives the same responses as the API", async (t) => {
  const { page, consoleErrors } = await openTool(setup, t, "hash");
  for (const text of TEXTS) {
    await assertFollows(page, "hash", { text }, () => textOf(page).fill(text));
  }
  for (const algorithm of ["sha1", "sha384", "sha512"]) {
    await assertFollows(page, "hash", { text: TEXTS.at(-1), algorithm }, () =>
      choose(page, algorithm),
    );
  }
  const text = TEXTS.at(-1);
  for (const encoding of ["base64", "base64url"]) {
    await assertFollows(page, "hash", { text, algorithm: "sha512", encoding }, () =>
      choose(page, encoding),
    );
  }
  await page.getByText("SHA512, 86 characters of Base64url").waitFor();
  await assertFollows(page, "hash", { text, algorithm: "sha512" }, () => choose(page, "hex"));
  // Bytes are sent by programs.
  assert.equal(await page.getByRole("textbox", { name: "base64" }).count(), 0);
  assert.deepEqual(consoleErrors, []);
});

test("the key of an HMAC is hidden, and in no command, URL or storage", async (t) => {
  const { page, consoleErrors, requests } = await openTool(setup, t, "hash");
  const key = page.getByLabel("hmacKey");
  const hmacKey = 'a\'unique "key"';
  assert.equal(await key.getAttribute("type"), "password");
  assert.equal(await key.getAttribute("autocomplete"), "off");
  await assertFollows(page, "hash", { text: "Hello, world!", hmacKey }, () => key.fill(hmacKey));
  const command = page.getByRole("figure", { name: "curl" });
  assert.match((await command.textContent()) ?? "", /"hmacKey":"YOUR_SECRET"/);
  await page.getByText("Replace YOUR_SECRET").waitFor();
  const kept = await page.evaluate<string[]>(
    `[location.href, document.cookie, document.body.innerText, ...Object.values({ ...localStorage, ...sessionStorage })]`,
  );
  assert.doesNotMatch([...requests, ...kept].join("\n"), /a'unique|unique%20/);
  await assertFollows(page, "hash", { text: "Hello, world!" }, () => key.fill(""));
  assert.equal(await page.getByText("YOUR_SECRET").count(), 0);
  await page.getByRole("button", { name: "HMAC-SHA256 in Base64" }).click();
  const example = { text: "Hello, world!", hmacKey: "a secret", encoding: "base64" };
  await assertResponses(setup, page, "hash", example);
  assert.deepEqual(consoleErrors, []);
});

test("the form of qr-code gives the same responses as the API and shows errors at their fields", async (t) => {
  const { page, consoleErrors } = await openTool(setup, t, "qr-code");
  for (const text of TEXTS) {
    await assertFollows(page, "qr-code", { text }, () => textOf(page).fill(text));
  }
  const long = "~".repeat(2500);
  await assertFollows(page, "qr-code", { text: long }, () => textOf(page).fill(long));
  const [errorId] = ((await textOf(page).getAttribute("aria-describedby")) ?? "").split(/\s+/);
  const fieldError = page.locator(`[id="${errorId}"]`);
  const { errors } = JSON.parse((await shownResponse(page)) as string);
  assert.equal(await fieldError.textContent(), errors[0].detail);
  const text = "https://example.com";
  await assertFollows(page, "qr-code", { text }, () => textOf(page).fill(text));
  const image = page.getByRole("img", { name: "QR code of the text" });
  for (const format of ["svg", "utf8", "png"]) {
    const sent = format === "png" ? { text } : { text, format };
    await assertFollows(page, "qr-code", sent, () => choose(page, format));
    await image.waitFor();
  }
  for (const width of [1, 64.5, 4000]) {
    const field = page.getByRole("textbox", { name: "width" });
    await assertFollows(page, "qr-code", { text, width }, () => field.fill(String(width)));
  }
  await eventually("the image is 2048 pixels wide", () =>
    page.evaluate<boolean>(`document.querySelector(".tool-qr")?.naturalWidth === 2048`),
  );
  const fill = (name: string, value: string) =>
    page.getByRole("textbox", { name, exact: true }).fill(value);
  const request = { text, width: 200 };
  await assertFollows(page, "qr-code", request, () => fill("width", "200"));
  await assertFollows(page, "qr-code", { ...request, margin: 0 }, () => fill("margin", "0"));
  await assertFollows(page, "qr-code", request, () => fill("margin", ""));
  await assertFollows(page, "qr-code", { ...request, dark: "#036" }, () => fill("dark", "#036"));
  await assertFollows(page, "qr-code", { ...request, dark: "#ddd" }, () => fill("dark", "#ddd"));
  await page.getByText("must be darker than light by at least 50 %").first().waitFor();
  const picker = page.getByLabel("Choose dark");
  assert.equal(await picker.inputValue(), "#dddddd");
  const picked = { ...request, dark: "#112233" };
  await assertFollows(page, "qr-code", picked, () => picker.fill("#112233"));
  const transparent = { ...picked, light: "transparent" };
  await assertFollows(page, "qr-code", transparent, () => fill("light", "transparent"));
  await image.waitFor();
  await assertFollows(page, "qr-code", picked, () => fill("light", ""));
  assert.deepEqual(consoleErrors, []);
});

test("the form of echo gives the same responses as the API", async (t) => {
  const { page, consoleErrors } = await openTool(setup, t, "echo");
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
  assert.deepEqual(consoleErrors, []);
});

test("the form of markdown-render gives the same responses as the API and renders them in a sandboxed frame", async (t) => {
  const { page, consoleErrors, requests } = await openTool(setup, t, "markdown-render");
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
    consoleErrors.filter((text) => !text.includes("allow-popups")),
    [],
  );
});

test("UUIDs are generated only on the button, and are new each time", async (t) => {
  const { page, consoleErrors } = await openTool(setup, t, "uuid");
  const count = page.getByRole("textbox", { name: "count" });
  for (const wrong of ["0", "501", "1.5", "-3"]) {
    await assertFollows(page, "uuid", { count: Number(wrong) }, () => count.fill(wrong));
  }
  await count.fill("500");
  await page.getByText("Select Generate to get a new result.").waitFor();
  assert.equal(await shownResponse(page), null);
  const allUuids = new Set<string>();
  for (let round = 1; round <= 2; round += 1) {
    const previous = await shownResponse(page);
    await page.getByRole("button", { name: "Generate" }).click();
    await eventually("new UUIDs", async () => (await shownResponse(page)) !== previous);
    const { uuids } = JSON.parse((await shownResponse(page)) as string) as { uuids: string[] };
    for (const uuid of uuids) allUuids.add(uuid);
    assert.equal(allUuids.size, 500 * round);
  }
  await choose(page, "7");
  await page.getByRole("button", { name: "Generate" }).click();
  await eventually("500 UUIDs of version 7", async () => {
    const { uuids, version } = JSON.parse((await shownResponse(page)) ?? "{}");
    return version === 7 && uuids.length === 500;
  });
  assert.deepEqual(consoleErrors, []);
});

test("a large file is processed unchanged in a worker, and a shorter text does not wait for it", async (t) => {
  const { page, consoleErrors } = await openTool(setup, t, "hash");
  const text = `\ufeff${"line one\r\nline two\n".repeat(50_000)}`;
  const worker = page.waitForEvent("worker");
  const buffer = Buffer.from(text);
  const file = { name: "notes.txt", mimeType: "text/plain", buffer };
  await assertFollows(page, "hash", { text }, () => page.setInputFiles("input[type=file]", file));
  await worker;
  await page.setInputFiles("input[type=file]", { ...file, buffer: buffer.subarray(3) });
  await page.getByRole("button", { name: "Clear" }).click();
  await assertResponses(setup, page, "hash", { text: "" });
  assert.deepEqual(consoleErrors, []);
});

test("a file that is too large or not text gets an error message, and the input stays", async (t) => {
  const { page } = await openTool(setup, t, "hash");
  const upload = (name: string, buffer: Buffer) =>
    page.setInputFiles("input[type=file]", { name, mimeType: "text/plain", buffer });
  await upload("big.txt", Buffer.alloc(HASH_TEXT_BYTES_MAX + 1, "a"));
  await page.getByText("“big.txt” has 1,048,577 bytes; the limit is 1,048,576 bytes.").waitFor();
  await upload("picture.png", Buffer.from([0x89, 0x50, 0xff]));
  await page.getByText("“picture.png” is not UTF-8 text").waitFor();
  assert.equal(await textOf(page).inputValue(), "Hello, world!");
});

test("a call that takes too long is stopped, and the next one works", async (t) => {
  const { page } = await openTool(setup, t, "hash");
  // A worker that never responds stands for a slow one. Only the clock of the page advances.
  await page.route("**/tool-worker*", (route) =>
    route.fulfill({ contentType: "text/javascript", body: "" }),
  );
  await page.clock.install();
  const file = { name: "a.txt", mimeType: "text/plain", buffer: Buffer.alloc(500_000, "a") };
  const worker = page.waitForEvent("worker");
  await page.setInputFiles("input[type=file]", file);
  await page.getByText("500,000 bytes, used unchanged").waitFor();
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

test("input does not leave the page: it is in no URL, no request and no storage", async (t) => {
  const { page, requests } = await openTool(setup, t, "echo");
  const secret = "a-unique-word";
  await textOf(page).fill(JSON.stringify(secret));
  await assertResponses(setup, page, "echo", JSON.stringify(secret));
  const stored = await page.evaluate<string[]>(
    `[location.href, document.cookie, ...Object.values({ ...localStorage, ...sessionStorage })]`,
  );
  assert.doesNotMatch([...requests, ...stored].join("\n"), new RegExp(secret));
  for (const request of requests) {
    assert.match(
      request,
      new RegExp(`^GET (?:${site.url}/(?:tools|assets|dashboard/visitor)|data:)`),
    );
  }
});

test("a text cannot become markup or a script of another site", async (t) => {
  const { page } = await openTool(setup, t, "markdown-render");
  const attempts = [
    `document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=alert(1)>")`,
    `document.createElement("iframe").setAttribute("srcdoc", "<b>")`,
    `document.createElement("script").setAttribute("src", "data:,alert(1)")`,
    `new Worker("https://a.example/worker.js")`,
  ];
  for (const attempt of attempts) {
    await assert.rejects(page.evaluate(attempt), /TypeError: .*(?:markup|script)/i, attempt);
  }
});

test("a page loads only the engine of its own tool", async (t) => {
  const engines = TOOLS.map(({ name }) => name);
  for (const name of engines) {
    const { page, requests } = await openTool(setup, t, name);
    await page.getByRole("heading", { name: "Result" }).waitFor();
    const loaded = engines.filter((engine) =>
      requests.some((request) => new RegExp(`/assets/${engine}-[\\w-]+\\.js$`).test(request)),
    );
    assert.deepEqual(loaded, [name]);
  }
});

test("the page of an unknown tool says so and links to the others", async (t) => {
  const { page } = await openTool(setup, t, "hush");
  await page.getByText("No tool is called “hush”").waitFor();
  await page.getByRole("link", { name: "View all tools" }).click();
  await page.getByRole("link", { name: /^Markdown/ }).waitFor();
});

draw();
