import assert from "node:assert/strict";
import { test } from "node:test";
import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { check } from "./cases.ts";

/** A reference to footnote `number`; `use` counts those to the same footnote. */
function reference(number: number, use = 1): string {
  const id = `user-content-fnref${number}${use === 1 ? "" : `-${use}`}`;
  return `<sup class="footnote-ref"><a href="#user-content-fn${number}" id="${id}" data-footnote-ref="" aria-label="Footnote ${number}">${number}</a></sup>`;
}

/** The links from footnote `number` to its references. */
const back = (number: number, uses = 1) =>
  Array.from({ length: uses }, (_, index) => {
    const suffix = index === 0 ? "" : `-${index + 1}`;
    const mark = index === 0 ? "↩" : `↩<sup class="footnote-ref">${index + 1}</sup>`;
    return `<a href="#user-content-fnref${number}${suffix}" class="footnote-backref data-footnote-backref" data-footnote-backref="" aria-label="Back to reference ${number}${suffix}">${mark}</a>`;
  }).join(" ");

const section = (...footnotes: string[]) =>
  `<section class="footnotes" data-footnotes="" aria-label="Footnotes">\n<ol>\n${footnotes
    .map((footnote, index) => `<li id="user-content-fn${index + 1}">\n${footnote}\n</li>\n`)
    .join("")}</ol>\n</section>\n`;

const N = "\n\n[^n]: n";
const note = (uses = 1) => section(`<p>n ${back(1, uses)}</p>`);
const GITHUB = "micromark-extension-gfm-footnote 2.1.0, fixtures of GitHub";
const NESTING = "HTML 4.5.1: an a has no a in it; GitHub's page closes the link there";

check("a link ends before a reference to a footnote in its text", [
  {
    markdown: `[link[^n]](#)${N}`,
    html: `<p><a href="#">link</a>${reference(1)}</p>\n${note()}`,
    text: "link[1]\n\n[1] n",
    source: `${GITHUB}: footnotes-in-constructs`,
  },
  {
    markdown: `[a[^n] b](u "t")${N}`,
    html: `<p><a href="u" title="t">a</a>${reference(1)} b</p>\n${note()}`,
    text: "a (u)[1] b\n\n[1] n",
    source: NESTING,
  },
  {
    markdown: `[a *b **c[^n] d** e* f](u) g${N}`,
    html: `<p><a href="u">a <em>b <strong>c</strong></em></a><em><strong>${reference(1)} d</strong> e</em> f g</p>\n${note()}`,
    source: NESTING,
  },
  {
    markdown: `[[^n] [^n]a[^n]](u)${N}`,
    html: `<p>${reference(1)}${reference(1, 2)}<a href="u">a</a>${reference(1, 3)}</p>\n${note(3)}`,
    text: "[1][1]a (u)[1]\n\n[1] n",
    source: "the link starts behind references before its text, so that it is not lost",
  },
  {
    markdown: `[![a[^n]](i)[^n]](u)${N}`,
    html: `<p><a href="u"><img src="i" alt="a" /></a>${reference(1)}</p>\n${note()}`,
    text: "a (u)[1]\n\n[1] n",
    source: NESTING,
  },
  {
    markdown: `[a[^n]][r]${N}\n\n[r]: u`,
    html: `<p><a href="u">a</a>${reference(1)}</p>\n${note()}`,
    source: NESTING,
  },
  {
    markdown: `[a[^n]](javascript:x) [a[^n]](b c)${N}`,
    html: `<p>a${reference(1)} [a${reference(1, 2)}](b c)</p>\n${note(2)}`,
    source: "no link: its URL is not allowed, or it is none (CommonMark 6.3)",
  },
  {
    markdown: `[https://a.b[^n]](https://a.b) [a <https://c.d>[^n]](u)${N}`,
    html: `<p><a href="https://a.b">https://a.b</a>${reference(1)} <a href="u">a https://c.d</a>${reference(1, 2)}</p>\n${note(2)}`,
    text: "https://a.b[1] a https://c.d (u)[1]\n\n[1] n",
    source: NESTING,
  },
  {
    markdown: `# [a[^n]](u)\n\n|[b[^n]](u)|\n|-|${N}`,
    html: `<h1><a href="u">a</a>${reference(1)}</h1>\n<table>\n<thead>\n<tr>\n<th><a href="u">b</a>${reference(1, 2)}</th>\n</tr>\n</thead>\n</table>\n${note(2)}`,
    source: NESTING,
  },
  {
    markdown: `What are these[^n], [^n][], and [this][^n].${N}`,
    html: `<p>What are these${reference(1)}, ${reference(1, 2)}[], and [this]${reference(1, 3)}.</p>\n${note(3)}`,
    source: `${GITHUB}: links-or-footnotes`,
  },
]);

check("a description has no reference to a footnote", [
  {
    markdown: `![image[^n]](#)${N}`,
    html: '<p><img src="#" alt="image" /></p>\n',
    text: "image",
    source: `${GITHUB}: footnotes-in-constructs, without the dead link back`,
  },
  {
    markdown: `![a[^n] ![b[^n]](c) [d[^n]](e)](f)[^n]${N}`,
    html: `<p><img src="f" alt="a b d" />${reference(1)}</p>\n${note()}`,
    text: "a b d[1]\n\n[1] n",
    source: "CommonMark 6.4: the description is plain text",
  },
  {
    markdown: `![a[^n]](javascript:x)${N}`,
    html: "<p>a</p>\n",
    source: "an image whose URL is not allowed becomes its description",
  },
  {
    markdown: `a![^n] ![^n][] ![this][^n]${N}`,
    html: `<p>a!${reference(1)} !${reference(1, 2)}[] ![this]${reference(1, 3)}</p>\n${note(3)}`,
    source: `${GITHUB}: images-or-footnotes`,
  },
]);

check("a footnote has links back to references in later footnotes", [
  {
    markdown: "Call[^1][^1]\n\n[^1]: Recursion[^1][^1]",
    html: `<p>Call${reference(1)}${reference(1, 2)}</p>\n${section(`<p>Recursion${reference(1, 3)}${reference(1, 4)} ${back(1, 4)}</p>`)}`,
    source: `${GITHUB}: duplicate-calls`,
  },
  {
    markdown: "a[^a]\n\n[^a]: b[^b]\n[^b]: c[^a] d[^c]\n[^c]: e[^b]",
    html: `<p>a${reference(1)}</p>\n${section(
      `<p>b${reference(2)} ${back(1, 2)}</p>`,
      `<p>c${reference(1, 2)} d${reference(3)} ${back(2, 2)}</p>`,
      `<p>e${reference(2, 2)} ${back(3)}</p>`,
    )}`,
    text: "a[1]\n\n[1] b[2]\n\n[2] c[1] d[3]\n\n[3] e[2]",
    source: "WCAG 2.4: each reference is the target of a link back",
  },
]);

check("a footnote that only a footnote refers to is written", [
  {
    markdown: "a[^a]\n\n[^b]: c\n[^a]: b[^b]",
    html: `<p>a${reference(1)}</p>\n${section(
      `<p>b${reference(2)} ${back(1)}</p>`,
      `<p>c ${back(2)}</p>`,
    )}`,
    source: `${GITHUB}: nest`,
  },
]);

test("every reference has a name, and each link back leads to a reference", () => {
  const cells = "| [^a] | b[^b] |\n|-|-|\n| \\|[^a] | c | [^a] |";
  const markdown = `x[^a]\n\n[^a]: ${cells.replaceAll("\n", "\n    ")}\n\n    # [^b]\n\n    > - [^a]\n[^b]: [y[^a]](z) ![[^b]](z)\n\n    <p>[^a]</p>`;
  const { html } = renderMarkdown(markdown, false, { headingIds: true });
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length);
  const references = html.match(/<a [^>]*data-footnote-ref=""[^>]*>/g) ?? [];
  const linksBack = html.match(/<a [^>]*data-footnote-backref=""[^>]*>/g) ?? [];
  assert.equal(references.length, linksBack.length);
  for (const tag of [...references, ...linksBack]) {
    assert.match(tag, / aria-label="(?:Footnote|Back to reference) [\d-]+"/);
    assert.ok(ids.includes(/ href="#([^"]*)"/.exec(tag)?.[1]), tag);
  }
  for (const tag of references) {
    const id = / id="([^"]*)"/.exec(tag)?.[1];
    assert.ok(
      linksBack.some((link) => link.includes(`href="#${id}"`)),
      tag,
    );
  }
});
