import type { Page } from "playwright-core";

/**
 * What axe does not see, one line for each fault: a page that is wider than its window, a control that is cut off by its window or
 * by the element that clips or scrolls it, and a label that is squeezed into a column of words.
 */
export const findLayoutFaults = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(${FIND})()`);

/** More lines than this, with fewer characters a line than this, are a label that has no room. */
const LINES_MAX = 3;
const CHARACTERS_MIN = 16;
const LINE_GAP_PX = 6;
/** Positions are fractions of pixels. */
const SLACK_PX = 1;

const FIND = `() => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) faults.push("The page is " + root.scrollWidth + " pixels wide");
  const nameOf = (element) =>
    (element.getAttribute("aria-label") || element.textContent || element.id || element.tagName).trim().replace(/\\s+/g, " ").slice(0, 60);
  const isVisible = (element) => {
    const { width, height, right } = element.getBoundingClientRect();
    // What only screen readers have is a pixel wide, or beyond the left edge.
    return width > 2 && height > 2 && right > 0 && element.checkVisibility({ visibilityProperty: true });
  };

  const CONTROLS = "a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=menuitem], [role=switch]";
  for (const element of document.querySelectorAll(CONTROLS)) {
    if (!isVisible(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.right > innerWidth + ${SLACK_PX}) faults.push("Beyond the window: " + nameOf(element));
    // What scrolls down brings its controls into view, whatever clips it further out.
    let scrollsDown = false;
    // A link in a line of text may be broken; the line is what is clipped.
    for (let around = element.parentElement; around && around !== document.body; around = around.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(around);
      if (overflowX === "visible" && overflowY === "visible") continue;
      const frame = around.getBoundingClientRect();
      const isCutAside = overflowX !== "visible" && (box.right > frame.right + ${SLACK_PX} || box.left < frame.left - ${SLACK_PX});
      scrollsDown ||= /auto|scroll/.test(overflowY);
      const isCutBelow = !scrollsDown && /hidden|clip/.test(overflowY) && (box.bottom > frame.bottom + ${SLACK_PX} || box.top < frame.top - ${SLACK_PX});
      if (isCutAside || isCutBelow) {
        faults.push("Cut off: " + nameOf(element));
        break;
      }
      if (position === "fixed") break;
    }
  }

  for (const element of document.querySelectorAll("button, label, [role=tab], [role=menuitem], th, td, dt, summary")) {
    if (!isVisible(element)) continue;
    if (element.querySelector("br, ul, ol, dl, p, div > div, input, button") !== null) continue;
    // A cell may have blocks below each other. Each of them is a label of its own.
    const blocks = new Map();
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      let block = text.parentElement;
      while (block !== element && /^(?:inline|contents)$/.test(getComputedStyle(block).display)) block = block.parentElement;
      const range = document.createRange();
      range.selectNodeContents(text);
      const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
      const { tops, characters } = blocks.get(block) ?? { tops: [], characters: 0 };
      blocks.set(block, { tops: [...tops, ...rects.map(({ bottom }) => bottom)], characters: characters + text.data.trim().length });
    }
    for (const { tops, characters } of blocks.values()) {
      // Texts of different sizes on one line end at almost the same height.
      const lines = tops.toSorted((a, b) => a - b).filter((bottom, index, all) => index === 0 || bottom - all[index - 1] > ${LINE_GAP_PX}).length;
      if (lines > ${LINES_MAX} && characters / lines < ${CHARACTERS_MIN}) faults.push(lines + " lines: " + nameOf(element));
    }
  }
  return faults;
}`;

/** Texts that run out of the cell of their table or list, one line for each. What its cell cuts off, or scrolls, is none of them. */
export const findCrowdedCells = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(${FIND_CROWDED})()`);

const FIND_CROWDED = `() => {
  const crowded = [];
  for (const cell of document.querySelectorAll("th, td, dt, dd")) {
    const box = cell.getBoundingClientRect();
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      let around = texts.currentNode.parentElement;
      while (around !== cell && getComputedStyle(around).overflowX === "visible") around = around.parentElement;
      if (getComputedStyle(around).overflowX !== "visible") continue;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      const isOut = ({ left, right, width }) => width > 0 && (right > box.right + ${SLACK_PX} || left < box.left - ${SLACK_PX});
      if ([...range.getClientRects()].some(isOut)) crowded.push(cell.textContent);
    }
  }
  return crowded;
}`;
