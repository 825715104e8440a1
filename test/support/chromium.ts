/**
 * A headless Chromium out of npm alone, for tests: no browser and no library of the machine is needed. Where it cannot
 * start, opening throws; a test that needs it fails then.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { type ChromiumFiles, takeChromiumFiles } from "./chromium-files.ts";

/** Not the flags that the package of the browser proposes: those switch web security off. */
const FLAGS = [
  // Chromium's own sandbox needs rights that containers and root do not have. What it opens here is ours.
  "--no-sandbox",
  "--disable-gpu",
  // What is intercepted must come over a protocol that is intercepted.
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export type BrowserOptions = {
  /** Whose shared libraries: the machine's, where it has them all, or those that came with the browser. */
  libraries?: "machine's if any" | "own";
};

/** Closing the browser ends its processes and removes its files. */
export async function openBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const files = await takeChromiumFiles();
  try {
    const env = await environmentFor(files, options);
    const executablePath = files.executable;
    const browser = await chromium.launch({ executablePath, headless: true, args: FLAGS, env });
    const close = browser.close.bind(browser);
    let closed: Promise<void> | undefined;
    browser.close = (reason) => {
      closed ??= close(reason).finally(files.leave);
      return closed;
    };
    return browser;
  } catch (error) {
    await files.leave();
    throw error;
  }
}

/** Of the browser's process alone: that of the tests stays as it is. */
async function environmentFor(files: ChromiumFiles, { libraries }: BrowserOptions) {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: files.own,
    TMPDIR: files.own,
    FONTCONFIG_FILE: files.fontSettings,
  };
  const withOwn = { ...env, LD_LIBRARY_PATH: files.libraries };
  if (libraries === "own") return withOwn;
  // Linked at the start, so that asking for the version tells whether all is there.
  const asked = promisify(execFile)(files.executable, ["--version"], { env });
  return asked.then(
    () => env,
    () => withOwn,
  );
}
