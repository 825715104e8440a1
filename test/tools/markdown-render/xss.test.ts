import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { openBrowser } from "../../support/chromium.ts";
import { Random } from "./random.ts";
import { type Examiner, examine, openExaminer } from "./xss-examiner.ts";
import type { Rules } from "./xss-page.ts";
import { SIGHTS } from "./xss-sights.ts";
import { VECTORS, type Vector } from "./xss-vectors.ts";

/** Every element and attribute that the engine may write, with its values. Anything else fails. */
const RULES: Rules = {
  protocols: ["http:", "https:", "mailto:", "tel:", "xmpp:", "ftp:", "irc:", "ircs:"],
  elements: {
    ...Object.fromEntries(
      "h1 h2 h3 h4 h5 h6 em strong del sub pre blockquote table thead tbody tr br hr"
        .split(" ")
        .map((name) => [name, {}]),
    ),
    a: {
      href: "address",
      title: ".*",
      id: "user-content-fnref\\d+(?:-\\d+)?",
      class: "footnote-backref data-footnote-backref",
      "data-footnote-ref": "",
      "data-footnote-backref": "",
      "aria-label": "(?:Footnote|Back to reference) \\d+(?:-\\d+)?",
    },
    code: { class: "language-[^\\t\\n\\f\\r ]+" },
    div: { class: "markdown-alert markdown-alert-(?:note|tip|important|warning|caution)" },
    img: { src: "address", alt: ".*", title: ".*" },
    input: {
      type: "checkbox",
      disabled: "",
      checked: "",
      class: "task-list-item-checkbox",
      "aria-label": "(?:Completed|Incomplete) task",
    },
    li: { id: "user-content-fn\\d+", class: "task-list-item" },
    ol: { start: "\\d+", class: "contains-task-list" },
    p: { class: "markdown-alert-title" },
    section: { class: "footnotes", "data-footnotes": "", "aria-label": "Footnotes" },
    sup: { class: "footnote-ref" },
    td: { align: "left|center|right" },
    th: { align: "left|center|right" },
    ul: { class: "contains-task-list" },
  },
};

/** Several pages at once, because most of the time is spent waiting for violations that do not occur. */
const PAGES = 6;
const VECTORS_PER_PAGE = 100;

/** Pairs that are cut and joined, from `TEST_SEED`. */
const JOINED = Number(process.env["TEST_XSS_JOINED"] ?? 100);
const SEED = Number(process.env["TEST_SEED"] ?? 1);

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

test("no two hostile documents are the same", () => {
  assert.equal(new Set(VECTORS.map(({ markdown }) => markdown)).size, VECTORS.length);
});

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
