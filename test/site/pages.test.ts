import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { SETTINGS } from "#config/settings.ts";
import { ERRORS, type ErrorCode } from "#errors.ts";
import { securityText } from "#site/discovery.ts";
import { ERROR_TEXTS } from "#site/docs/error-texts.ts";
import { layOutJson } from "#site/json-layout.ts";
import { html, prose } from "#site/markup.ts";
import { pageLinks } from "#site/page-links.ts";
import { createPages, type Pages } from "#site/pages.ts";
import { fetchCode, pythonCode } from "#site/request-code.ts";
import hash from "#tools/hash/tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { BARE, EARLY, FULL, pageAt, pathsOf } from "./pages-server.ts";

const digestOf = (text: string) => createHash("sha256").update(text).digest("base64");
const full = createPages(FULL);
const bare = createPages(BARE);
const at = (pages: Pages, path: string): string => pageAt(pages, path) ?? pages.notFound.body;

/** What a service serves besides these pages. */
const ELSEWHERE =
  /^(?:mailto:sales@example\.com|\/openapi\.json|\/(?:sign-in|sign-up|settings\/(?:api-keys|account|notifications|webhooks)|home|requests|usage|credits|pricing|tools(?:\/[a-z0-9-]+)?))$/;

for (const [kind, pages, options] of [
  ["of a service that offers everything", full, FULL],
  ["of a service that offers nothing", bare, BARE],
] as const) {
  const settings = [{ name: "<b>'\"", fallback: "<b>'\"", meaning: "<b>'\"" }];
  const hostile = createPages({
    ...options,
    publicUrl: `https://x.test/"'><script>alert(1)</script>&amp;\``,
    version: "<b>'\"",
    ...(options.settings && { settings }),
  });
  describe(`every page ${kind}`, () => {
    for (const path of [...pathsOf(pages), "/nowhere"]) {
      const text = at(pages, path);

      it(`${path}: is well-formed, and ids are unique`, () => {
        assert.match(text, /^<!doctype html>\n<html lang="en">/);
        assert.deepEqual(findTagFaults(text), []);
        const ids = attributes(text, "id");
        assert.deepEqual(ids, [...new Set(ids)]);
      });

      it(`${path}: has one main heading, and skips no level`, () => {
        const levels = [...text.matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level));
        assert.equal(levels[0], 1);
        assert.equal(levels.filter((level) => level === 1).length, 1);
        levels.reduce((above, level) => {
          assert.ok(level <= above + 1, `h${level} follows h${above}`);
          return level;
        });
      });

      it(`${path}: tells search engines its title, its description and its address`, () => {
        const [, title = ""] = /<title>([^<]+)<\/title>/.exec(text) ?? [];
        const [, description = ""] = /<meta name="description" content="([^"]+)">/.exec(text) ?? [];
        assert.match(title, /Toolbooth/);
        assert.ok(description.length > 20 && description.length <= 170, description);
        const isThere = path !== "/nowhere";
        const canonical = `<link rel="canonical" href="https://tools.test${path}">`;
        assert.equal(text.includes(canonical), isThere);
        assert.equal(text.includes(`<meta property="og:title" content="${title}">`), isThere);
        assert.equal(text.includes('<meta name="robots" content="noindex">'), !isThere);
        const image = '<meta property="og:image" content="https://tools.test/assets/share.png">';
        const card = '<meta name="twitter:card" content="summary_large_image">';
        for (const tag of [image, card]) {
          assert.equal(text.includes(tag), isThere && options === FULL, tag);
        }
        assert.equal(text.match(/<meta name="theme-color" media="/g)?.length, 2);
      });

      it(`${path}: loads nothing but its own script, fonts and icons`, () => {
        assert.doesNotMatch(text, /@import|<iframe|<object|<embed/i);
        const fonts = ["/assets/sans.woff2", "/assets/mono.woff2"];
        const loaded = [...text.matchAll(/url\("([^"]*)"\)/g)].map(([, url]) => url);
        assert.deepEqual(loaded, options === FULL ? fonts : []);
        assert.equal(text.match(/url\(/g)?.length ?? 0, loaded.length);
        const links = [...text.matchAll(/<link rel="([^"]*)"[^>]* href="([^"]*)"/g)];
        const isThere = path !== "/nowhere";
        assert.deepEqual(
          links.map(([, rel, href]) => `${rel} ${href}`),
          [
            ...(isThere ? [`canonical https://tools.test${path}`] : []),
            ...["icon /favicon.ico", "icon /icon.svg", "manifest /manifest.webmanifest"],
            ...(options === FULL ? ["apple-touch-icon /assets/touch-icon.png"] : []),
            ...(options === FULL ? fonts.map((font) => `preload ${font}`) : []),
          ],
        );
        const scripts = options === FULL ? ["/assets/main.js"] : [];
        const sources = attributes(text, "src");
        assert.deepEqual(
          sources.filter((source) => !source.startsWith("data:image/svg+xml,")),
          scripts,
        );
      });

      it(`${path}: every link leads to an existing page and heading`, () => {
        const links = [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href ?? "");
        assert.ok(links.length > 0);
        for (const href of links) {
          const [target = "", place] = href.split("#");
          if (/^https:\/\/(?!tools\.test)/.test(href)) continue;
          const page = target === "" ? text : pageAt(pages, target);
          if (pageAt(pages, target.replace(/\.md$/, "")) !== undefined && page === undefined) {
            assert.ok(pages.docs?.markdown(target.replace(/\.md$/, "")) !== undefined, href);
          } else if (page === undefined) {
            assert.match(href, ELSEWHERE);
          } else if (place !== undefined) {
            assert.ok(attributes(page, "id").includes(place), href);
          }
        }
      });

      it(`${path}: has no inline script but the one in its head, and its styles, as its policy allows them`, () => {
        const inline = [...text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, code]) => code);
        const early = options === FULL ? [EARLY] : [];
        assert.deepEqual(inline, early);
        assert.doesNotMatch(text.replace(`<script>${EARLY}`, ""), /<script(?![^>]* src=")/);
        assert.doesNotMatch(text, /<[^>]+\s(?:style|on\w+)=/);
        const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
          ([, style = ""]) => `'sha256-${digestOf(style)}'`,
        );
        const hasOwnStyle = ["/", "/pricing", "/nowhere"].includes(path);
        assert.equal(styles.length, 1 + (hasOwnStyle ? 1 : 0) + (options === FULL ? 1 : 0));
        const policy =
          (pages.find(path) ?? pages.notFound).headers["Content-Security-Policy"] ?? "";
        const [, allowed = ""] = /style-src ([^;]*);/.exec(policy) ?? [];
        for (const style of styles) assert.ok(allowed.split(" ").includes(style), style);
        assert.doesNotMatch(allowed, /unsafe/);
        const scripts = early.map((code) => ` 'sha256-${digestOf(code)}'`).join("");
        assert.ok(policy.includes(`script-src 'self'${scripts};`));
        assert.ok(policy.includes("font-src 'self';"));
        assert.ok(policy.includes("require-trusted-types-for 'script'; trusted-types 'none'"));
      });

      // As it is sent: compressed. The shell is the same on each page, and compresses well.
      it(`${path}: is small`, () => assert.ok(gzipSync(text).byteLength < 23 * 1024));

      it(`${path}: escapes the settings`, () => {
        const hostilePage = at(hostile, path);
        assert.deepEqual(findTagFaults(hostilePage), []);
        assert.doesNotMatch(
          hostilePage.replace(`<script>${EARLY}`, ""),
          /<script>|alert\(1\)<\/script>|<b>'/,
        );
      });
    }
  });
}

describe("the front page", () => {
  it("shows a true example without any script", () => {
    const [example] = hash.examples as [(typeof hash.examples)[number]];
    const { text } = example.request as { text: string };
    const digest = createHash("sha256").update(text).digest("hex");
    const page = at(full, "/");
    assert.ok(page.includes(`>${text}</textarea>`));
    assert.ok(page.includes(`data-try="hash">${digest}</code>`));
    assert.match(page, /<img data-try="qr" src="data:image\/svg\+xml,%3Csvg/);
  });

  it("shows a call, its price and its response, and a balance that adds up", () => {
    const page = at(full, "/");
    assert.ok(page.includes("<code>Credits-Charged: 1</code>"));
    assert.ok(page.includes("/api/v1/markdown-render"));
    assert.ok(
      page.includes("is <strong>bold</strong>".replace(/</g, "&lt;").replace(/>/g, "&gt;")),
    );
    const rows = [...page.matchAll(/<td(?: class="plus")?>([^<]*)<\/td><td>([^<]*)<\/td><\/tr>/g)];
    const shown = rows.map(([, change, balance]) => `${change} ${balance}`);
    assert.deepEqual(shown, ["+100 100", "0 100", "−1 99", "0 99", "0 99"]);
    // Without sign-up an operator grants credits; where no call is free, the first one costs its price.
    const paid = at(createPages({ ...BARE, freeCallCredits: 0 }), "/");
    assert.match(paid, /<td class="plus">\+1,000<\/td><td>1,000<\/td>/);
    assert.match(paid, /<td>−1<\/td><td>998<\/td>/);
    assert.ok(!paid.includes("the first call of an account is free"));
  });

  it("moves only where motion is welcome", () => {
    assert.match(
      at(full, "/"),
      /@media \(prefers-reduced-motion:reduce\)\{\.gate-raised \*\{animation:none/,
    );
  });

  it("shows a tool of one's own before those that come in the box, as the documentation has it", () => {
    const front = at(full, "/");
    const [, code = ""] = /```ts\n([\s\S]*?)\n```/.exec(FULL.docs?.["own-tools.md"] ?? "") ?? [];
    assert.match(code, /export default defineTool/);
    const shown = front.indexOf(String(html`${code}`));
    assert.ok(shown > 0 && shown < front.indexOf('<h2 id="tools">Included tools'));
    assert.match(front, /href="\/docs\/own-tools"/);
    const named = at(createPages({ ...FULL, name: "Acme" }), "/");
    assert.doesNotMatch(named, /defineTool|own-tools/);
    assert.match(named, /<h2 id="tools">The tools</);
  });

  it("leads to the page of every tool", () => {
    for (const { name } of TOOLS) {
      assert.ok(at(full, "/").includes(`href="/tools/${name}"`), name);
    }
  });

  it("offers sign-up only where it is open", () => {
    const closed = createPages({ ...FULL, dashboard: { ...FULL.dashboard, signUp: "closed" } });
    for (const path of pathsOf(closed)) {
      const text = at(closed, path);
      assert.doesNotMatch(text, /Get started/, path);
      assert.ok(text.includes('href="/sign-in"'), path);
    }
  });
});

describe("the documentation", () => {
  it("has a page for every tool, with its fields", () => {
    for (const [name, field] of [
      ["markdown-render", "markdown"],
      ["qr-code", "errorCorrectionLevel"],
      ["hash", "algorithm"],
      ["uuid", "uuids"],
      ["echo", "receivedAt"],
    ] as const) {
      assert.ok(at(full, `/docs/${name}`).includes(`<td><code>${field}</code>`), field);
    }
  });

  it("leads from the reference of a tool to its page", () => {
    for (const { name } of TOOLS) {
      const [beginning = ""] = at(full, `/docs/${name}`).split("<h2");
      assert.ok(beginning.includes(`<a class="button quiet" href="/tools/${name}">`), name);
    }
  });

  it("has a page for a tool that docs/ does not know", () => {
    const tool = { ...hash, name: "base64-encode", summary: "A text in base64." };
    const pages = createPages({ ...FULL, tools: [...TOOLS, tool] });
    const page = at(pages, "/docs/base64-encode");
    assert.ok(page.includes("<h1>base64-encode</h1>"));
    assert.ok(page.includes("<td><code>algorithm</code>"));
    assert.ok(at(pages, "/docs/calls").includes('href="/docs/base64-encode"'));
    assert.ok(at(pages, "/llms.txt").includes("(https://tools.test/docs/base64-encode.md)"));
  });

  it("has the section to which the error for too few credits links", () => {
    assert.ok(attributes(at(full, "/docs"), "id").includes("credits"));
  });

  it("has no rate limit where there is none", () => {
    assert.ok(at(full, "/docs/calls").includes("RateLimit-Policy"));
    assert.ok(!at(bare, "/docs/calls").includes("RateLimit-Policy"));
  });

  it("shows every setting with its meaning, and each can be linked", () => {
    const page = at(full, "/docs/configuration");
    for (const { name, meaning } of SETTINGS) {
      assert.ok(
        page.replaceAll("<wbr>", "").includes(`<tr id="${name}">\n<td><code>${name}</code></td>`),
        name,
      );
      assert.ok(page.includes(asRendered(meaning)), name);
    }
  });

  it("links every page to every other, and marks the open one", () => {
    const paths = full.docs?.paths.filter((path) => path !== "/docs/topics") ?? [];
    for (const path of paths) {
      const [, nav = ""] = at(full, path).split('<nav aria-label="Documentation">');
      for (const other of paths) assert.ok(nav.includes(`href="${other}"`), `${path}: ${other}`);
      assert.ok(nav.includes(`href="${path}" aria-current="page"`), path);
    }
  });
});

describe("the errors page", () => {
  it("has an entry for every code, with the code as its id, its cause and its cure", () => {
    for (const [code, { status, title }] of Object.entries(ERRORS)) {
      const { cause, cure } = ERROR_TEXTS[code as ErrorCode];
      const [, entry] = at(full, "/docs/errors").split(`<h2 id="${code}">`);
      assert.ok(entry !== undefined, code);
      const [own = ""] = entry.split("<h2 ");
      assert.ok(own.includes(`<strong>${status}</strong>`), `${code}: status`);
      for (const text of [title, cause, cure]) {
        assert.ok(own.includes(asRendered(text)), `${code}: ${text}`);
      }
    }
  });
});

describe("the files for search engines", () => {
  it("list every page and every tool, and no page of a signed-in user", () => {
    const paths = [
      ...at(full, "/sitemap.xml").matchAll(/<loc>https:\/\/tools\.test([^<]*)<\/loc>/g),
    ];
    const named = paths.map(([, path]) => path);
    for (const path of pathsOf(full)) assert.ok(named.includes(path), path);
    for (const { name } of TOOLS) assert.ok(named.includes(`/tools/${name}`), name);
    assert.deepEqual(findTagFaults(at(full, "/sitemap.xml").replace(/^<\?xml[^>]*\?>\n/, "")), []);
    for (const path of ["/home", "/dashboard/", "/api/"]) {
      assert.ok(at(full, "/robots.txt").includes(`\nDisallow: ${path}\n`), path);
    }
    for (const { name } of TOOLS) {
      assert.ok(at(full, "/llms.txt").includes(`POST https://tools.test/api/v1/${name}.`), name);
    }
    assert.ok(at(full, "/robots.txt").endsWith("\nSitemap: https://tools.test/sitemap.xml\n"));
  });

  it("name the contact for vulnerabilities in security.txt, for half a year", () => {
    const text = securityText(FULL, "mailto:s@tools.test", Date.UTC(2026, 0, 1, 5));
    assert.deepEqual(text.split("\n"), [
      "Contact: mailto:s@tools.test",
      "Expires: 2026-06-30T00:00:00.000Z",
      "Preferred-Languages: en",
      "Canonical: https://tools.test/.well-known/security.txt",
      "Policy: https://tools.test/docs/security",
      "",
    ]);
    assert.ok(pathsOf(full).includes("/docs/security"));
  });

  it("keep the path under which the service is published", () => {
    const below = createPages({ ...FULL, publicUrl: "https://x.test/booth" });
    assert.ok(at(below, "/robots.txt").includes("\nDisallow: /booth/api/\n"));
    assert.ok(at(below, "/sitemap.xml").includes("<loc>https://x.test/booth/docs</loc>"));
    assert.ok(at(below, "/docs").includes('src="/booth/assets/main.js"'));
    assert.ok(at(below, "/docs").includes('href="https://x.test/booth/docs"'));
    for (const text of pathsOf(below).map((path) => at(below, path))) {
      assert.doesNotMatch(text, /<a [^>]*href="\/(?!booth[/"])/);
    }
  });
});

describe("the template", () => {
  it("escapes text and keeps HTML", () => {
    const inner = html`<b>${"<&>\"'"}</b>`;
    assert.equal(
      String(html`${inner}${["<", null, false, 7]}`),
      "<b>&lt;&amp;&gt;&quot;&#39;</b>&lt;7",
    );
  });

  it("turns backticks into code", () => {
    assert.equal(String(html`${prose("Send `a<b` now")}`), "Send <code>a&lt;b</code> now");
  });
});

describe("links", () => {
  it("keep the path under which the service is published", () => {
    assert.equal(pageLinks("https://x.test").docs, "/docs");
    assert.equal(pageLinks("https://x.test/tools/").docs, "/tools/docs");
    assert.equal(pageLinks("no address").front, "/");
  });
});

describe("sample code", () => {
  const url = "https://tools.test/api/v1/echo";

  it("is valid JavaScript, and Python literals in Python", () => {
    const body = { yes: true, none: null, list: [1, "a"] };
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
    assert.doesNotThrow(() => new AsyncFunction(fetchCode({ url, body })));
    assert.ok(pythonCode({ url, body }).includes('{"yes": True, "none": None, "list": [1, "a"]}'));
  });

  it("contains JSON that parses to the same value", () => {
    const long = "x".repeat(80);
    for (const value of [{}, [], { a: [1, { b: null }] }, { a: [long, long], b: {} }, "text", 7]) {
      assert.deepEqual(JSON.parse(layOutJson(value)), value);
    }
  });
});

/** A sentence as the Markdown engine writes it: it leaves apostrophes as they are. */
const asRendered = (text: string): string => String(html`${prose(text)}`).replaceAll("&#39;", "'");

const attributes = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`<[a-z][^>]* ${name}="([^"]*)"`, "g"))].map(
    ([, value]) => value as string,
  );

const VOID = new Set(["meta", "link", "input", "br", "wbr", "img"]);

/** What is opened and not closed, or closed and not open. Enough of a parser for pages that we write ourselves. */
function findTagFaults(text: string): string[] {
  const open: string[] = [];
  const faults: string[] = [];
  const raw = text.replace(/<(style|script)>[\s\S]*?<\/\1>/g, "");
  for (const [, close, name, selfClosed] of raw.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*?(\/?)>/g)) {
    if (VOID.has(name as string) || selfClosed === "/") continue;
    if (close === "") open.push(name as string);
    else if (open.at(-1) === name) open.pop();
    else faults.push(`</${name}> inside <${open.at(-1)}>`);
  }
  const left = raw.replace(/<\/?[a-z][a-z0-9]*\b(?:[^<>"]|"[^"]*")*>|<!doctype html>/g, "");
  if (/[<>]/.test(left))
    faults.push(`a bracket outside of tags: ${/.{0,40}[<>].{0,40}/.exec(left)?.[0]}`);
  return [...faults, ...open.map((name) => `<${name}> is not closed`)];
}
