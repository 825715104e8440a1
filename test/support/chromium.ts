/**
 * A headless Chromium out of npm alone, for tests: no browser and no library of the machine is needed. Where it cannot
 * start, opening throws; a test that needs it fails then. Linux only, as the package is.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { buildOnce } from "./build-cache.ts";
import { HANGS_MS } from "./deadline.ts";

/** Not the flags that the package of the browser proposes: those switch web security off. */
const FLAGS = [
  // Chromium's own sandbox needs rights that containers and root do not have. What it opens here is ours.
  "--no-sandbox",
  "--disable-gpu",
  // What is intercepted must come over a protocol that is intercepted.
  "--disable-quic",
  // Pages of one site and context share a process, which has their scripts compiled.
  "--process-per-site",
  // Pages live for a second or two: what V8's middle compiler makes of their scripts costs more than it saves.
  "--js-flags=--no-maglev",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let opened: Promise<Browser> | undefined;
/** How many callers have not closed it yet. */
let users = 0;

/**
 * Opens the browser of this process, which ends when its last user closes it. Each user has contexts of their own: nothing of one is
 * seen by another. A browser that several processes shared would have a server between them, which passes on each message: that
 * takes more CPU time than a browser for each folder.
 */
export function openBrowser(): Promise<Browser> {
  users += 1;
  opened ??= startBrowser();
  return opened;
}

/** When the last user has closed it, its processes end and what it wrote is removed. */
async function startBrowser(): Promise<Browser> {
  const files = await unpackOnce();
  const own = mkdtempSync(path.join(tmpdir(), "toolbooth-browser-"));
  const remove = () => rmSync(own, { recursive: true, force: true, maxRetries: 5 });
  try {
    const browser = await chromium.launch({
      executablePath: path.join(files, "chromium"),
      headless: true,
      args: FLAGS,
      timeout: HANGS_MS,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: own,
        TMPDIR: own,
        FONTCONFIG_FILE: path.join(files, "fonts.conf"),
        LD_LIBRARY_PATH: path.join(files, "al2023/lib"),
      },
    });
    const end = browser.close.bind(browser);
    browser.close = async (reason) => {
      users -= 1;
      if (users > 0) return;
      opened = undefined;
      await end(reason).finally(remove);
    };
    return browser;
  } catch (error) {
    remove();
    throw error;
  }
}

/** The package unpacks into the temporary folder of its process and nowhere else, so it gets a process of its own. */
const UNPACK = `
  import chromium, { inflate } from "@sparticuz/chromium";
  await chromium.executablePath();
  await inflate(process.argv[1]);
`;

/** Its own settings name folders of another system. The cache goes where the one user's files go. */
const FONT_SETTINGS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fonts</cachedir>
</fontconfig>
`;

/** Returns the folder with the executable, its libraries and its fonts. */
function unpackOnce(): Promise<string> {
  const main = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const folder = path.resolve(main, "../..");
  const manifest = readFileSync(path.join(folder, "package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  return buildOnce(`chromium ${version}`, async (built) => {
    const unpack = ["--input-type=module", "--eval", UNPACK];
    await promisify(execFile)(
      process.execPath,
      [...unpack, path.join(folder, "bin/al2023.tar.br")],
      { cwd: import.meta.dirname, env: { TMPDIR: built } },
    );
    await writeFile(path.join(built, "fonts.conf"), FONT_SETTINGS);
  });
}
