import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import { user, visitor } from "./fixtures.ts";
import { type Mocks, type Screen, statesOf } from "./screen-mocks.ts";

/** The states of the pages of the tools. */
const link = (inputs: Record<string, unknown>): string =>
  `#input=${encodeURIComponent(JSON.stringify(inputs))}`;

const waitForResult = (page: Page) => page.getByText("Computed in your browser").waitFor();

/** The call is mocked: the page reaches the API on its own origin. */
const callApi =
  (status: number, body: unknown, isOwn = false) =>
  async (page: Page) => {
    await page.route("**/api/v1/*", (route) =>
      route.fulfill({
        status,
        headers: {
          "Credits-Charged": status === 200 ? "1" : "0",
          "Credits-Remaining": status === 200 ? "41" : "0",
          "Server-Timing": "total;dur=1.9",
          "X-Request-Id": "req_2bQnJ7mG5yX0cVdT",
          "Cache-Control": "no-store",
        },
        json: body,
      }),
    );
    if (!isOwn) await page.getByRole("radio", { name: "Through the API" }).check();
    await page.getByRole("textbox", { name: "API key" }).fill("tb_example");
    await page.getByRole("button", { name: "Send request" }).click();
    await page.getByText("From the API.").waitFor();
  };

const ownPrice = {
  ...visitor,
  user: { ...user, account: { ...user.account, prices: { "word-count": 2, hash: 5 } } },
};

const UUIDS = ["0d46edf9-942f-40da-b5ce-619fb43363a7", "6da30ea8-ca08-46ba-b7ab-fc11a5a14ec4"];
const WRONG_LIST = {
  ...{ ok: false, title: "Invalid request", status: 400, code: "invalid_request" },
  detail: "`ignore`: must be an array; got a string.",
  errors: [{ pointer: "/ignore", detail: "must be an array; got a string" }],
};

async function hashFile(page: Page): Promise<void> {
  const buffer = Buffer.from([0x89, 0x50, 0xff]);
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "photo of the booth.jpg", mimeType: "", buffer });
  await page
    .getByLabel("Compare with an expected digest")
    .fill(`${createHash("sha512").update(buffer).digest("hex")}  photo of the booth.jpg`);
  await page.getByText("Match: the SHA-512 digest").waitFor();
}

export const listToolScreens = (mocks: Mocks): Screen[] => {
  const tool = (state: string, path: string, actions: Screen["actions"] = waitForResult): Screen =>
    statesOf("tool", `/tools/${path}`, mocks)(state, {}, actions);
  return [
    tool("hash", "hash"),
    tool("hash of a file that matches", "hash", hashFile),
    tool("qr-code", "qr-code"),
    tool("qr-code of a contact, hard to read", "qr-code", async (page) => {
      await page.getByRole("radio", { name: "Contact" }).check();
      await page.getByLabel("First name").fill("Ada");
      await page.getByRole("textbox", { name: "Color dark" }).fill("#555");
      await page.getByRole("textbox", { name: "Margin margin" }).fill("1");
      await page.getByText("Some scanners may not read this code.").waitFor();
    }),
    tool("qr-code of a SEPA transfer with mistakes", "qr-code", async (page) => {
      await page.getByRole("radio", { name: "SEPA transfer" }).check();
      await page.getByLabel("Recipient").fill("Ada Lovelace");
      await page.getByLabel("IBAN").fill("DE89 3704 0044 0532 0130 01");
      await page.getByLabel("Amount in euros").fill("12.505");
      await page.getByText("check it for a mistyped character").waitFor();
    }),
    tool("qr-code of one-time passwords", "qr-code", async (page) => {
      await page.getByRole("radio", { name: "One-time passwords" }).check();
      await page.getByRole("textbox", { name: "Issuer", exact: true }).fill("Example");
      await page.getByRole("textbox", { name: "Account", exact: true }).fill("ada@example.com");
      await page.getByRole("textbox", { name: "Secret", exact: true }).fill("JBSW Y3DP EHPK 3PX0");
      await page.getByText("look like O, I and B").waitFor();
    }),
    tool("qr-code for a dark terminal, of an SMS", "qr-code", async (page) => {
      await page.getByRole("radio", { name: "SMS" }).check();
      await page.getByRole("textbox", { name: "Number", exact: true }).fill("+49 30 1234567");
      // The inputs survive a reload, and blocks have no colors.
      await page.getByRole("textbox", { name: "Color dark" }).fill("");
      await page.getByRole("radio", { name: "Text", exact: true }).last().check();
      await page.getByRole("switch", { name: "For a dark terminal" }).check();
      await waitForResult(page);
    }),
    tool("uuid", "uuid"),
    tool("uuid through the API", "uuid", async (page) => {
      await callApi(200, { ok: true, count: 2, uppercase: false, uuids: UUIDS })(page);
      await page.getByRole("tab", { name: "Headers" }).click();
    }),
    tool("markdown-render", "markdown-render"),
    tool("markdown-render, HTML", "markdown-render", async (page) => {
      await page.getByRole("tab", { name: "HTML" }).click();
      await waitForResult(page);
    }),
    tool("echo", "echo"),
    tool("own tool", "word-count", async (page) => {
      await page.getByText("Select Send request").waitFor();
      await page.getByText("a success costs up to 3 credits, depending on the input.").waitFor();
    }),
    statesOf("tool", "/tools/word-count", mocks)(
      "own tool, at the account's own price",
      { "GET /dashboard/visitor": { body: ownPrice } },
      (page) => page.getByText("a success costs your account 2 credits.").waitFor(),
    ),
    tool("own tool, whose price was asked for", "word-count", async (page) => {
      await page.route("**/api/v1/word-count/quote", (route) =>
        route.fulfill({ headers: { "X-Request-Id": "req_7" }, json: { ok: true, credits: 2 } }),
      );
      await page.getByRole("button", { name: "Check price" }).click();
      await page.getByText("Paste an API key").waitFor();
      await page.getByRole("textbox", { name: "API key" }).fill("tb_example");
      await page.getByRole("button", { name: "Check price" }).click();
      await page.getByText("a success costs 2 credits with this input.").waitFor();
    }),
    tool("own tool, called", "word-count", callApi(200, { ok: true, words: 2 }, true)),
    tool("own tool with errors", "word-count", callApi(400, WRONG_LIST, true)),
    tool("inputs of a link", `hash${link({ text: "from a link" })}`, async (page) => {
      await page.getByText("These inputs come from a link.").waitFor();
    }),
    tool("unknown", "hush", async (page) => {
      await page.getByText("No tool is called “hush”").waitFor();
      await page.getByRole("link", { name: "View all tools" }).waitFor();
    }),
  ];
};
