import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { openBrowser } from "../../support/chromium.ts";
import { SEED } from "../../support/random.ts";
import { STRIPPED_ELEMENTS } from "./allowed-elements.ts";
import { Random } from "./random.ts";
import { type Examiner, examine, openExaminer } from "./xss-examiner.ts";
import type { Rules } from "./xss-page.ts";
import { SIGHTS } from "./xss-sights.ts";
import { VECTORS, type Vector } from "./xss-vectors.ts";

/** Anything else fails. */
const RULES: Rules = {
  protocols: ["http:", "https:", "mailto:", "tel:", "xmpp:", "ftp:", "irc:", "ircs:"],
  elements: {
    ...STRIPPED_ELEMENTS,
    a: { ...STRIPPED_ELEMENTS["a"], id: "user-content-fnref\\d+(?:-\\d+)?" },
    li: { ...STRIPPED_ELEMENTS["li"], id: "user-content-fn\\d+" },
  },
};

/** Several pages at once, because most of the time is spent waiting for violations that do not occur. */
const PAGES = 6;
const VECTORS_PER_PAGE = 100;

/** Pairs that are cut and joined, from `TEST_SEED`. */
const JOINED = Number(process.env["TEST_XSS_JOINED"] ?? 100);

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

/** The results of `work` for each piece, on several pages. */
async function onPages<Piece, Result>(
  pieces: readonly Piece[],
  work: (examiner: Examiner, piece: Piece) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = pieces.entries();
  await Promise.all(
    Array.from({ length: PAGES }, async () => {
      const examiner = await openExaminer(browser, RULES);
      for (const [index, piece] of waiting) results[index] = await work(examiner, piece);
      await examiner.close();
    }),
  );
  return results;
}

test("no hostile document does anything in a page", () => judge(VECTORS));

test("two hostile documents, cut and joined, do nothing in a page", () => {
  const random = new Random(SEED);
  const cut = (markdown: string) => random.between(0, markdown.length);
  const joined = Array.from({ length: JOINED }, () => {
    const [before, behind] = [random.pick(VECTORS).markdown, random.pick(VECTORS).markdown];
    return before.slice(0, cut(before)) + behind.slice(cut(behind));
  });
  return judge(joined.map((markdown) => ({ class: "joined", markdown })));
});

async function judge(vectors: readonly Vector[]): Promise<void> {
  const pieces = Array.from({ length: Math.ceil(vectors.length / VECTORS_PER_PAGE) }, (_, page) =>
    vectors.slice(page * VECTORS_PER_PAGE, (page + 1) * VECTORS_PER_PAGE),
  );
  const results = await onPages(pieces, async (examiner, piece) => {
    const htmls = piece.map(({ markdown }) => renderMarkdown(markdown, false).html);
    const findings = await examine(examiner, htmls);
    return piece.map((each, index) => ({ ...each, html: htmls[index], findings: findings[index] }));
  });
  const judged = results.flat();
  assert.equal(judged.length, vectors.length);
  assert.deepEqual(
    judged.filter(({ findings }) => findings?.length !== 0),
    [],
  );
}

test("a page sees each thing that must not be", async () => {
  await onPages(SIGHTS, async (examiner, [html, expected]) => {
    let seen: string[] = [];
    // A page on a busy machine needs longer to report what it sees.
    for (const settleMs of [50, 500, 5_000, 50_000]) {
      // Next to another fragment, which must not hide it.
      const findings = await examiner.show([html, "<p>x</p>"], settleMs);
      seen = findings.map(({ what }) => what);
      if (seen.includes(expected)) return;
    }
    assert.fail(`${html}: ${expected} is not in ${seen.join("; ")}`);
  });
});
