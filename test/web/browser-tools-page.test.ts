import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { HASH_TEXT_BYTES_MAX, MARKDOWN_BYTES_MAX, TOOL_TIMEOUT_MS } from "#limits.ts";
import { TOOLS } from "#tools/registry.ts";
import { eventually } from "../http/test-api.ts";
import { openBrowser } from "../support/chromium.ts";
import { OWN_CLIPBOARD } from "../support/own-clipboard.ts";
import {
  assertResponses,
  openApi,
  openTool,
  type Setup,
  shownResponse,
  textOf,
  VISITOR,
} from "./browser-tools-setup.ts";
import { CODE_MARK } from "./own-tool.ts";
import { openScreenSite } from "./screen-site.ts";

/** The pages of the browser tools, as built. */
const [site, api, browser] = await Promise.all([openScreenSite(VISITOR), openApi(), openBrowser()]);
const setup: Setup = { url: site.url, api, browser };
after(async () => {
  await browser.close();
  site.close();
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

/** Chooses one of a few choices by its name on the page, or in the group of a field. */
const choose = (page: Page, name: string, group?: RegExp) =>
  (group === undefined ? page : page.getByRole("group", { name: group }))
    .getByRole("radio", { name, exact: true })
    .check();

const fieldOf = (page: Page, name: string) => page.getByRole("textbox", { name });

/** The engines that a page has loaded. */
const enginesIn = (requests: readonly string[]): string[] =>
  TOOLS.map(({ name }) => name).filter((name) =>
    requests.some((request) => new RegExp(`/assets/${name}-[\\w-]+\\.js$`).test(request)),
  );

const TEXTS = ["", 'naïve café ☕ 😀\n\n\ttab\'; rm -rf "$HOME" \u2028\u202e', "7".repeat(3000)];

test("the form of hash gives the same responses as the API", async (t) => {
  const { page, consoleErrors, requests } = await openTool(setup, t, "hash");
  for (const text of TEXTS) {
    await assertFollows(page, "hash", { text }, () => textOf(page).fill(text));
  }
  for (const algorithm of ["sha1", "sha384", "sha512"]) {
    await assertFollows(page, "hash", { text: TEXTS.at(-1), algorithm }, () =>
      choose(page, algorithm.replace("sha", "SHA-")),
    );
  }
  const text = TEXTS.at(-1);
  for (const encoding of ["Base64", "Base64url"]) {
    const sent = { text, algorithm: "sha512", encoding: encoding.toLowerCase() };
    await assertFollows(page, "hash", sent, () => choose(page, encoding, /^Encoding/));
  }
  await page.getByText("SHA-512, 86 characters of Base64url").waitFor();
  const plain = { text, algorithm: "sha512" };
  await assertFollows(page, "hash", plain, () => choose(page, "Hex", /^Encoding/));
  // A key in another encoding than text.
  const key = page.getByLabel("HMAC key");
  await assertFollows(page, "hash", { ...plain, hmacKey: "6b6579" }, () => key.fill("6b6579"));
  const inHex = { ...plain, hmacKey: "6b6579", hmacKeyEncoding: "hex" };
  await assertFollows(page, "hash", inHex, () => choose(page, "Hex", /hmacKeyEncoding/));
  await choose(page, "Text", /hmacKeyEncoding/);
  await assertFollows(page, "hash", plain, () => key.fill(""));
  // Bytes come as files.
  assert.equal(await page.getByRole("textbox", { name: "base64" }).count(), 0);
  // Every digest, and the comparison with one that was published.
  const sha1 = createHash("sha1")
    .update(text ?? "")
    .digest("hex");
  await page.getByText(sha1).waitFor();
  const expected = page.getByLabel("Compare with an expected digest");
  await expected.fill(`sha1:${sha1.toUpperCase()}`);
  await page.getByText("Match: the SHA-1 digest is the expected one.").waitFor();
  await expected.fill(createHash("sha256").digest("base64"));
  await page.getByText("No match: the SHA-256 digest is different.").waitFor();
  assert.deepEqual(enginesIn(requests), ["hash"]);
  assert.deepEqual(consoleErrors, []);
});

test("the key of an HMAC is hidden, and in no command, URL or storage", async (t) => {
  const { page, consoleErrors, requests } = await openTool(setup, t, "hash");
  await page.evaluate(OWN_CLIPBOARD);
  const key = page.getByLabel("HMAC key");
  const hmacKey = 'a\'unique "key"';
  assert.equal(await key.getAttribute("type"), "password");
  assert.equal(await key.getAttribute("autocomplete"), "off");
  await assertFollows(page, "hash", { text: "Hello, world!", hmacKey }, () => key.fill(hmacKey));
  const command = page.getByRole("figure", { name: "curl" });
  assert.match((await command.textContent()) ?? "", /"hmacKey":"YOUR_SECRET"/);
  await page.getByText("Replace YOUR_SECRET").waitFor();
  // Stores the inputs, as leaving the page does.
  await page.evaluate(`dispatchEvent(new PageTransitionEvent("pagehide"))`);
  await page.getByRole("button", { name: "Copy link" }).click();
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
  const { page, consoleErrors, requests } = await openTool(setup, t, "qr-code");
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
  const format = page.getByRole("group", { name: "Format" });
  for (const [name, value] of [
    ["SVG", "svg"],
    ["Text", "utf8"],
    ["PNG", "png"],
  ] as const) {
    const sent = value === "png" ? { text } : { text, format: value };
    await assertFollows(page, "qr-code", sent, () => format.getByRole("radio", { name }).check());
    await image.waitFor();
  }
  for (const width of [1, 64.5, 4000]) {
    const field = fieldOf(page, "Size width");
    await assertFollows(page, "qr-code", { text, width }, () => field.fill(String(width)));
  }
  await eventually("the image is 2048 pixels wide", () =>
    page.evaluate<boolean>(`document.querySelector(".play-qr")?.naturalWidth === 2048`),
  );
  const labels = { width: "Size", margin: "Margin", dark: "Color", light: "Background" };
  const fill = (name: keyof typeof labels, value: string) =>
    fieldOf(page, `${labels[name]} ${name}`).fill(value);
  const request = { text, width: 200 };
  await assertFollows(page, "qr-code", request, () => fill("width", "200"));
  await assertFollows(page, "qr-code", { ...request, margin: 0 }, () => fill("margin", "0"));
  await assertFollows(page, "qr-code", request, () => fill("margin", ""));
  await assertFollows(page, "qr-code", { ...request, dark: "#036" }, () => fill("dark", "#036"));
  await assertFollows(page, "qr-code", { ...request, dark: "#ddd" }, () => fill("dark", "#ddd"));
  await page.getByText("must be darker than light by at least 50 %").first().waitFor();
  const picker = page.getByLabel("Choose: Color");
  assert.equal(await picker.inputValue(), "#dddddd");
  const picked = { ...request, dark: "#112233" };
  await assertFollows(page, "qr-code", picked, () => picker.fill("#112233"));
  const transparent = { ...picked, light: "transparent" };
  await assertFollows(page, "qr-code", transparent, () => fill("light", "transparent"));
  await image.waitFor();
  await page.getByText("The background is transparent").waitFor();
  await assertFollows(page, "qr-code", picked, () => fill("light", ""));
  await choose(page, "Wi-Fi");
  await page.getByLabel("Network name").fill("Café; 1");
  await page.getByText("Still needed for the code: Password.").waitFor();
  const wifi = { ...picked, text: "WIFI:T:WPA;S:Café\\; 1;P:password;;" };
  await assertFollows(page, "qr-code", wifi, () =>
    page.getByRole("textbox", { name: "Password" }).fill("password"),
  );
  // Back at a form, the code is what that form says.
  await choose(page, "Phone");
  const phone = { ...picked, text: "tel:+49301234567" };
  await assertFollows(page, "qr-code", phone, () =>
    page.getByRole("textbox", { name: "Number" }).fill("+49 30 1234567"),
  );
  await assertFollows(page, "qr-code", wifi, () => choose(page, "Wi-Fi"));
  const blocks = { ...wifi, format: "utf8", dark: undefined, invert: true };
  await assertFollows(page, "qr-code", blocks, async () => {
    await fill("dark", "");
    await page.getByRole("radio", { name: "Text", exact: true }).last().check();
    await page.getByRole("switch", { name: "For a dark terminal" }).check();
  });
  // The blocks are the light modules: black on white, scanners could not read them.
  const drawn = await page.evaluate(`(() => {
    const { color, backgroundColor } = getComputedStyle(document.querySelector(".play-qr-text"));
    return [color, backgroundColor];
  })()`);
  assert.deepEqual(drawn, ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
  assert.deepEqual(enginesIn(requests), ["qr-code"]);
  assert.deepEqual(consoleErrors, []);
});

test("the form of echo gives the same responses as the API", async (t) => {
  const { page, consoleErrors, requests } = await openTool(setup, t, "echo");
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
  assert.deepEqual(enginesIn(requests), ["echo"]);
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
  await frame.getByRole("link", { name: "Footnote 1" }).click();
  await frame.getByRole("link", { name: "b", exact: true }).click();
  await frame.getByRole("heading", { name: "A" }).waitFor();
  assert.equal(page.context().pages().length, 1);
  await page.getByRole("tab", { name: "HTML" }).click();
  await page.getByRole("figure", { name: "HTML" }).waitFor();
  await choose(page, "HTML and plain text");
  await page.getByRole("tab", { name: "Plain text" }).click();
  await page.getByRole("figure", { name: "Plain text" }).waitFor();
  assert.deepEqual(enginesIn(requests), ["markdown-render"]);
  assert.deepEqual(
    requests.filter((request) => !request.includes(site.url)),
    [],
  );
  assert.deepEqual(
    consoleErrors.filter((text) => !text.includes("allow-popups")),
    [],
  );
});

test("UUIDs are there at once, and new on Enter, on the button and by keyboard", async (t) => {
  const { page, consoleErrors, requests } = await openTool(setup, t, "uuid");
  const uuidsShown = async () => JSON.parse((await shownResponse(page)) ?? "{}").uuids as string[];
  await eventually("UUIDs without a click", async () => (await uuidsShown())?.length === 5);
  const count = fieldOf(page, "Number of UUIDs");
  for (const wrong of ["0", "501", "1.5", "-3"]) {
    await assertFollows(page, "uuid", { count: Number(wrong) }, () => count.fill(wrong));
  }
  await assertFollows(page, "uuid", { count: 1.05 }, async () => {
    await count.fill("");
    await count.pressSequentially("1.05");
  });
  assert.equal(await count.inputValue(), "1.05");
  await count.fill("500");
  await eventually("500 UUIDs", async () => (await uuidsShown())?.length === 500);
  const allUuids = new Set(await uuidsShown());
  for (const [round, act] of [
    () => count.press("Enter"),
    () => page.getByRole("button", { name: "Generate" }).click(),
    () => page.getByRole("switch").press("Control+Enter"),
  ].entries()) {
    const previous = await shownResponse(page);
    await act();
    await eventually("new UUIDs", async () => (await shownResponse(page)) !== previous);
    for (const uuid of await uuidsShown()) allUuids.add(uuid);
    assert.equal(allUuids.size, 500 * (round + 2));
  }
  await choose(page, "7, by time");
  await eventually("500 UUIDs of version 7", async () => {
    const { uuids, version } = JSON.parse((await shownResponse(page)) ?? "{}");
    return version === 7 && uuids.length === 500;
  });
  assert.deepEqual(enginesIn(requests), ["uuid"]);
  assert.deepEqual(consoleErrors, []);
});

test("a large file is processed unchanged in a worker, and a shorter text does not wait for it", async (t) => {
  const { page, consoleErrors } = await openTool(setup, t, "echo");
  const text = `"${"line one\\r\\nline two\\n".repeat(40_000)}"`;
  const worker = page.waitForEvent("worker");
  const buffer = Buffer.from(text);
  const file = { name: "notes.json", mimeType: "application/json", buffer };
  const input = page.locator("input[type=file]");
  await input.setInputFiles(file);
  await worker;
  // The page shows the beginning of a long response.
  await eventually(
    "the response to the file",
    async () =>
      ((await shownResponse(page)) ?? "").includes("line one\\\\r\\\\nline two") ||
      ((await shownResponse(page)) ?? "").includes("line one\\r\\nline two"),
  );
  await input.setInputFiles({ ...file, buffer: buffer.subarray(3) });
  await page.getByRole("button", { name: "Remove file" }).click();
  await assertResponses(setup, page, "echo", "");
  assert.deepEqual(consoleErrors, []);
});

/** Drops a file on an element, as a browser does it. */
async function dropFile(page: Page, on: string, name: string, bytes: number[]): Promise<void> {
  await page.evaluate(
    `((on, name, bytes) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(bytes)], name));
      const element = document.querySelector(on);
      for (const type of ["dragenter", "dragover"]) {
        element.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      }
      globalThis.drop = () => !element.dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    })(${JSON.stringify(on)}, ${JSON.stringify(name)}, ${JSON.stringify(bytes)})`,
  );
}

test("a file that is dropped anywhere on the page is hashed as bytes", async (t) => {
  const { page, consoleErrors } = await openTool(setup, t, "hash");
  const bytes = [0x89, 0x50, 0xff, 0x00];
  await dropFile(page, "header", "picture.png", bytes);
  await page.getByText("Drop the file to hash it").waitFor();
  // The browser would open the file in place of the page.
  assert.equal(await page.evaluate("drop()"), true);
  await page.getByText("Drop the file to hash it").waitFor({ state: "detached" });
  for (const algorithm of ["sha1", "sha256", "sha384", "sha512"]) {
    const digest = createHash(algorithm).update(Buffer.from(bytes)).digest("hex");
    await page.getByText(digest).first().waitFor();
  }
  const { bytes: expected } = await setup.api.post("hash", Buffer.from(bytes), {
    contentType: "application/octet-stream",
  });
  await eventually("the response of the API", async () => {
    return (await shownResponse(page)) === Buffer.from(expected).toString();
  });
  await page.getByText("--data-binary @picture.png").waitFor();
  // Larger than the API takes: only its digests.
  const big = Buffer.alloc(HASH_TEXT_BYTES_MAX + 1, "a");
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "big.bin", mimeType: "", buffer: big });
  await page.getByText(createHash("sha512").update(big).digest("hex")).waitFor();
  assert.equal(await page.getByRole("button", { name: "Run" }).isDisabled(), true);
  assert.deepEqual(consoleErrors, []);
});

test("a file that is too large or not text gets an error message, and the input stays", async (t) => {
  const { page } = await openTool(setup, t, "markdown-render");
  const before = await textOf(page).inputValue();
  const upload = (name: string, buffer: Buffer) =>
    page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer });
  await upload("big.txt", Buffer.alloc(MARKDOWN_BYTES_MAX + 1, "a"));
  await page.getByText("“big.txt” has 1,048,577 bytes; the limit is 1,048,576 bytes.").waitFor();
  await upload("picture.png", Buffer.from([0x89, 0x50, 0xff]));
  await page.getByText("“picture.png” is not UTF-8 text").waitFor();
  assert.equal(await textOf(page).inputValue(), before);
});

test("a call that takes too long is stopped, and the next one works", async (t) => {
  const { page } = await openTool(setup, t, "echo");
  // A worker that never responds stands for a slow one. Only the clock of the page advances.
  await page.route("**/tool-worker*", (route) =>
    route.fulfill({ contentType: "text/javascript", body: "" }),
  );
  await page.clock.install();
  const buffer = Buffer.from(`"${"a".repeat(500_000)}"`);
  const file = { name: "a.json", mimeType: "text/plain", buffer };
  const worker = page.waitForEvent("worker");
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByText("500,002 bytes, used unchanged").waitFor();
  await page.clock.runFor(1_000);
  await worker;
  await page.getByText("Working").first().waitFor();
  await page.clock.runFor(TOOL_TIMEOUT_MS);
  await page.getByText("was stopped. Try a shorter input.").waitFor();
  await page.unroute("**/tool-worker*");
  await page.getByRole("button", { name: "Remove file" }).click();
  await page.clock.runFor(1_000);
  await eventually("a response", async () =>
    ((await shownResponse(page)) ?? "").includes('"body":null'),
  );
});

test("input does not leave the page: it is in no URL, no request, and only in the storage of its tab", async (t) => {
  const { page, requests } = await openTool(setup, t, "echo");
  const secret = "a-unique-word";
  await textOf(page).fill(JSON.stringify(secret));
  await assertResponses(setup, page, "echo", JSON.stringify(secret));
  const elsewhere = `[location.href, document.cookie, ...Object.values({ ...localStorage })]`;
  const stored = await page.evaluate<string[]>(elsewhere);
  assert.doesNotMatch([...requests, ...stored].join("\n"), new RegExp(secret));
  for (const request of requests) {
    assert.match(
      request,
      new RegExp(`^GET (?:${site.url}/(?:tools|assets|dashboard/visitor)|data:)`),
    );
  }
  await page.reload();
  await page.getByRole("tab", { name: "Raw" }).click();
  await assertResponses(setup, page, "echo", JSON.stringify(secret));
  assert.doesNotMatch((await page.evaluate<string[]>(elsewhere)).join("\n"), new RegExp(secret));
});

test("a link brings inputs, which run only when the user says so", async (t) => {
  const { page, consoleErrors } = await openTool(setup, t, "hash");
  const link = (value: unknown) => `#input=${encodeURIComponent(JSON.stringify(value))}`;
  const text = "from a link";
  await page.evaluate(`location.hash = ${JSON.stringify(link({ text, algorithm: "sha512" }))}`);
  await page.getByText("These inputs come from a link.").waitFor();
  assert.equal(await textOf(page).inputValue(), text);
  assert.equal(new URL(page.url()).hash, "");
  assert.doesNotMatch((await shownResponse(page)) ?? "", /SHA512/);
  await assertFollows(page, "hash", { text, algorithm: "sha512" }, () =>
    page.getByRole("button", { name: "Run" }).click(),
  );
  await page.evaluate(`location.hash = ${JSON.stringify(link({ hmacKey: "a" }))}`);
  await page.getByText("The link could not be used.").waitFor();
  assert.equal(await textOf(page).inputValue(), text);
  assert.deepEqual(consoleErrors, []);
});

test("a call through the API shows its status, headers and time, and its key is nowhere else", async (t) => {
  const { page, requests, consoleErrors } = await openTool(setup, t, "uuid");
  const key = "tb_a-unique-key";
  const sent: Record<string, string>[] = [];
  await page.route("**/api/v1/uuid", async (route) => {
    sent.push(await route.request().allHeaders());
    await route.fulfill({
      headers: { "Credits-Charged": "1", "Credits-Remaining": "41", "X-Request-Id": "req_7" },
      json: {
        ok: true,
        count: 1,
        uppercase: false,
        uuids: ["0d46edf9-942f-40da-b5ce-619fb43363a7"],
      },
    });
  });
  await choose(page, "Through the API");
  const send = page.getByRole("button", { name: "Send request" });
  await send.click();
  await page.getByText("Paste an API key to call the API.").waitFor();
  assert.equal(sent.length, 0);
  await page.getByLabel("API key").fill(` ${key} `);
  await send.click();
  await page.getByText("From the API.").waitFor();
  assert.equal(sent[0]?.["authorization"], `Bearer ${key}`);
  for (const text of ["Credits-Remaining", "41", "req_7"])
    await page.getByText(text).first().waitFor();
  await page.getByRole("tab", { name: "Headers" }).click();
  await page.getByText("credits-charged", { exact: true }).waitFor();
  // A change of the form calls nothing.
  await fieldOf(page, "Number of UUIDs").fill("2");
  await page.evaluate(`dispatchEvent(new PageTransitionEvent("pagehide"))`);
  const kept = await page.evaluate<string[]>(
    `[location.href, document.cookie, document.body.innerText, ...Object.values({ ...localStorage, ...sessionStorage })]`,
  );
  assert.equal(sent.length, 1);
  assert.doesNotMatch([...requests, ...kept].join("\n"), /a-unique-key/);
  await page.reload();
  await choose(page, "Through the API");
  assert.equal(await page.getByLabel("API key").inputValue(), "");
  assert.deepEqual(consoleErrors, []);
});

test("a double click and a key that is pressed again send one call, until its response is there", async (t) => {
  const { page } = await openTool(setup, t, "uuid");
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let sent = 0;
  await page.route("**/api/v1/uuid", async (route) => {
    sent += 1;
    await held;
    await route.fulfill({
      headers: { "X-Request-Id": "req_7" },
      json: { ok: true, count: 1, uppercase: false, uuids: ["0d46edf9"] },
    });
  });
  await choose(page, "Through the API");
  const key = page.getByLabel("API key");
  await key.fill("tb_key");
  const send = page.getByRole("button", { name: "Send request" });
  await send.dblclick();
  for (const press of ["Enter", "Control+Enter"]) await key.press(press);
  release();
  await page.getByText("From the API.").waitFor();
  assert.equal(sent, 1);
  await send.click();
  await eventually("the next call", async () => sent === 2);
});

test("the page of an own tool calls the API with the visitor's key, and loads none of its code", async (t) => {
  const { page, requests, consoleErrors } = await openTool(setup, t, "word-count");
  const sent: { key: string | undefined; body: unknown }[] = [];
  await page.route("**/api/v1/word-count", async (route) => {
    const request = route.request();
    sent.push({ key: request.headers()["authorization"], body: request.postDataJSON() });
    await route.fulfill({ headers: { "X-Request-Id": "req_7" }, json: { ok: true, words: 2 } });
  });
  assert.equal(await page.getByRole("radio", { name: "In your browser" }).count(), 0);
  await page.getByRole("textbox", { name: "API key" }).fill("tb_key");
  await page.getByRole("textbox", { name: "Ignore" }).fill('["a", "b"]');
  await page.getByRole("button", { name: "Send request" }).click();
  await page.getByText("From the API.").waitFor();
  assert.deepEqual(sent, [
    {
      key: "Bearer tb_key",
      body: { text: "three little words", ignore: ["a", "b"], unique: false },
    },
  ]);
  assert.ok(requests.some((each) => each.endsWith("/tools/word-count.json")));
  // Asked for anew, because a browser does not keep every body for those who watch it.
  const received = await Promise.all(
    requests
      .filter((each) => each.startsWith(`GET ${site.url}`))
      .map(async (each) => (await fetch(each.slice("GET ".length))).text()),
  );
  assert.ok(received.some((text) => text.includes("Words that do not count.")));
  assert.doesNotMatch(received.join("\n"), new RegExp(CODE_MARK));
  assert.deepEqual(consoleErrors, []);
});

test("what an own tool responds with is shown and saved byte for byte, also if it is no text", async (t) => {
  const { page, consoleErrors } = await openTool(setup, t, "word-count");
  let response = { contentType: "application/pdf", body: Buffer.from([0x25, 0x50, 0xff, 0x00]) };
  await page.route("**/api/v1/word-count", (route) =>
    route.fulfill({ headers: { "X-Request-Id": "req_7" }, ...response }),
  );
  await page.getByRole("textbox", { name: "API key" }).fill("tb_key");
  const send = page.getByRole("button", { name: "Send request" });
  const saved = async (name: string) => {
    const downloading = page.waitForEvent("download");
    await page
      .getByRole("button", { name: `Download ${name}` })
      .first()
      .click();
    const download = await downloading;
    assert.equal(download.suggestedFilename(), name);
    return readFileSync(await download.path());
  };
  await send.click();
  await page.getByText("4 bytes", { exact: true }).waitFor();
  assert.deepEqual(await saved("response.pdf"), response.body);
  response = { contentType: "text/csv", body: Buffer.from("\ufeffa,b\n") };
  await send.click();
  await page.getByText("7 bytes", { exact: true }).waitFor();
  assert.deepEqual(await saved("response.csv"), response.body);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="9"/>';
  response = { contentType: "image/svg+xml", body: Buffer.from(svg) };
  await send.click();
  const image = page.getByRole("img", { name: "The response" });
  await image.waitFor();
  await eventually("the image", () =>
    page.evaluate<boolean>(`document.querySelector(".play-image")?.naturalWidth === 7`),
  );
  assert.equal(String(await saved("response.svg")), svg);
  response = { contentType: "application/json", body: Buffer.from('{"ok":true}') };
  await send.click();
  const result = page.getByRole("region", { name: "Result" });
  await result.getByText('{"ok":true}').waitFor();
  assert.deepEqual(consoleErrors, []);
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
