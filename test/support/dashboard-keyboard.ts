/** A person without a mouse: Tab, Enter, Space, Escape and the arrows, and always knowing where they are. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../http/test-api.ts";

const TABS_MAX = 60;

/** Moves on with Tab until the focus is there, and sees to it that a person would see it on the way. */
export async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  // What has the focus may be drawn by something beside it.
  await target.waitFor({ state: "attached" });
  for (let pressed = 0; pressed < TABS_MAX; pressed += 1) {
    if (await hasFocus(target)) return assertFocusSeen(page);
    await page.keyboard.press(key);
  }
  assert.fail(`${TABS_MAX} times ${key} did not lead to ${target}`);
}

export async function press(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

export async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.type(text);
}

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element: Placed) => element === element.ownerDocument?.activeElement);
/** What is asked of an element; the types of a browser are not here. */
type Placed = { ownerDocument?: { activeElement: unknown } };

/** Whoever lost the focus starts anew at the top of the page. A page that has just been drawn takes it in a moment. */
export async function assertFocusKept(page: Page, after: string): Promise<void> {
  // Asked from here: what Playwright's own waiting repeats within the page is refused by the pages' policy.
  const isKept = () => page.evaluate<boolean>(KEPT);
  await eventually(`the focus is kept after ${after}`, isKept, FOCUS_WAIT_MS);
}
const KEPT = `(document.activeElement?.tagName ?? "BODY") !== "BODY"`;
const FOCUS_WAIT_MS = 60_000;

async function assertFocusSeen(page: Page): Promise<void> {
  const seen = await page.evaluate<string>(SEEN);
  assert.match(seen, /^seen/, "nothing shows where the focus is");
}

/** An outline or a shadow at the element, or at the drawn one beside or around it. */
const SEEN = `(() => {
  const element = document.activeElement;
  const drawn = [element, element.nextElementSibling, element.parentElement].filter(Boolean);
  for (const each of drawn) {
    const style = getComputedStyle(each);
    if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) return "seen by its outline";
    if (each === element && style.boxShadow !== "none") return "seen by its shadow";
  }
  return element.outerHTML.slice(0, 300);
})()`;
