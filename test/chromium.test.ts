import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { sampleTests } from "./support/sample.ts";

// A temporary folder of this file's own: other test files may use the browser at the same time.
const FOLDER = mkdtempSync(path.join(tmpdir(), "toolbooth-browsers-"));
after(() => rmSync(FOLDER, { recursive: true, force: true }));
process.env["TMPDIR"] = FOLDER;
const { openBrowser } = await import("./support/chromium.ts");

/** The processes whose executable is one of ours. */
function running(): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/exe`).startsWith(FOLDER);
    } catch {
      return false; // It has ended meanwhile, or is somebody else's.
    }
  });
}

/** Besides these, Playwright makes folders for a browser, which stay when it is killed. */
const unpacked = () => readdirSync(FOLDER).filter((name) => name.startsWith("toolbooth-chromium"));

function assertNothingLeft(): void {
  assert.deepEqual(running(), []);
  assert.deepEqual(unpacked(), []);
}

/** Opens a browser, tells which file it runs, and closes it when its input ends. */
const CHILD = `
  const { openBrowser } = await import(${JSON.stringify(path.join(import.meta.dirname, "support/chromium.ts"))});
  const { globSync, statSync } = await import("node:fs");
  const browser = await openBrowser();
  console.log(statSync(globSync(process.env.TMPDIR + "/*/chromium")[0]).ino);
  for await (const _ of process.stdin);
  await browser.close();
`;

async function openInChild(): Promise<{ child: ChildProcess; file: string }> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", CHILD], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [file] = (await once(child.stdout, "data")) as [Buffer];
  return { child, file: file.toString() };
}

const { test, draw } = sampleTests(
  "a browser's processes and files",
  2,
  process.env["TEST_BROWSER"] === "all",
);

test("browsers of several processes share the files, and the last one removes them", async () => {
  const [here, ...children] = await Promise.all([openBrowser(), openInChild(), openInChild()]);
  assert.equal(new Set(children.map(({ file }) => file)).size, 1);
  await here.close();
  for (const { child } of children) {
    assert.ok(running().length > 0);
    child.stdin?.end();
    assert.deepEqual(await once(child, "exit"), [0, null]);
  }
  assertNothingLeft();
});

test("a process that died with its browser open is in nobody's way", async () => {
  const { child } = await openInChild();
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(unpacked().length, 1);
  const browser = await openBrowser();
  assert.equal(await (await browser.newPage()).title(), "");
  await browser.close();
  assertNothingLeft();
});

test("where the machine has no libraries for it, the browser brings its own, and this process stays as it is", async () => {
  const environment = { ...process.env };
  const browser = await openBrowser({ libraries: "own" });
  const maps = running().map((process) => readFileSync(`/proc/${process}/maps`, "utf8"));
  const loaded = maps.join().match(/\S*\/libnss3\.so/g) ?? [];
  assert.ok(loaded.length > 0 && loaded.every((file) => file.startsWith(FOLDER)), loaded.join());
  assert.deepEqual({ ...process.env }, environment);
  await browser.close();
  assertNothingLeft();
});

test("a page cannot read what another origin did not give it", async (t) => {
  const server = createServer((request, response) => {
    const headers = { "Content-Type": "text/html" };
    const open = { ...headers, "Access-Control-Allow-Origin": "*" };
    response.writeHead(200, request.url === "/open" ? open : headers).end("a");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const browser = await openBrowser();
  t.after(async () => {
    await browser.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const page = await browser.newPage();
  await page.goto(`http://localhost:${port}/`);
  const read = (url: string) =>
    page.evaluate(async (url) => {
      const result = await fetch(url).catch(() => undefined);
      return result?.text();
    }, url);
  assert.equal(await read(`http://localhost:${port}/`), "a");
  assert.equal(await read(`http://127.0.0.1:${port}/open`), "a");
  assert.equal(await read(`http://127.0.0.1:${port}/`), undefined);
});

draw();
