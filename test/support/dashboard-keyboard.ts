/** A user without a mouse: Tab, Enter, Space, Escape and the arrow keys, with a visible focus at every step. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { until } from "./dashboard-site.ts";

const TABS_MAX = 60;

/** Waits until `target` gets the focus by itself, such as when a dialog opens or closes, then asserts that the focus is visible. */
export async function assertFocusMoves(page: Page, target: Locator): Promise<void> {
  await target.waitFor({ state: "attached" });
  await until(`the focus on ${target}`, () => hasFocus(target));
  await assertFocusVisible(page);
}

/** Presses Tab until `target` has the focus, then asserts that the focus is visible. */
export async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  // The element may be invisible itself and drawn by a sibling.
  await target.waitFor({ state: "attached" });
  for (let pressed = 0; pressed < TABS_MAX; pressed += 1) {
    if (await hasFocus(target)) return assertFocusVisible(page);
    await page.keyboard.press(key);
  }
  assert.fail(`${target} does not have the focus after ${TABS_MAX} times ${key}`);
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
  target.evaluate((element: ElementLike) => element === element.ownerDocument?.activeElement);
/** The members of an element used here; the DOM types are not available in the tests. */
type ElementLike = { ownerDocument?: { activeElement: unknown } };

/** Asserts that the focus was not lost to the body. A page that has just been rendered may take a moment to set it. */
export async function assertFocusKept(page: Page, after: string): Promise<void> {
  // Polls from here, because the Content-Security-Policy blocks the evaluation that Playwright's own polling needs.
  await until(`the focus is kept after ${after}`, () => page.evaluate<boolean>(HAS_FOCUS));
}
const HAS_FOCUS = `(document.activeElement?.tagName ?? "BODY") !== "BODY"`;

async function assertFocusVisible(page: Page): Promise<void> {
  const indicator = await page.evaluate<string>(FOCUS_INDICATOR);
  assert.match(indicator, /^visible/, "the focus is not visible");
}

/** An outline or a shadow of the focused element, or an outline of its next sibling or parent. */
const FOCUS_INDICATOR = `(() => {
  const element = document.activeElement;
  const drawn = [element, element.nextElementSibling, element.parentElement].filter(Boolean);
  for (const each of drawn) {
    const style = getComputedStyle(each);
    if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) return "visible by its outline";
    if (each === element && style.boxShadow !== "none") return "visible by its shadow";
  }
  return element.outerHTML.slice(0, 300);
})()`;
