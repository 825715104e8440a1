import { after } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../../support/chromium.ts";
import { openShop, type Shop } from "../../../support/dashboard-purchase.ts";

/**
 * The service that the files of this folder share: with a mail server, prices and a payment provider, in Chromium. Each test has
 * an account of its own.
 */
let users = 0;
let opened: Promise<Shop & { browser: Browser }> | undefined;
let closers: (() => unknown)[] = [];

/** To be called while a file is loaded. What is shared closes when the tests of all files that called it have run. */
export function shareShop(): Promise<Shop & { browser: Browser }> {
  users += 1;
  after(async () => {
    users -= 1;
    if (users > 0) return;
    const closing = closers.reverse();
    [opened, closers] = [undefined, []];
    for (const close of closing) await close();
  });
  opened ??= open();
  return opened;
}

async function open() {
  const hooks = { after: (close: () => unknown) => void closers.push(close) };
  const [browser, shop] = await Promise.all([openBrowser(), openShop(hooks)]);
  closers.push(() => browser.close());
  return { browser, ...shop };
}
