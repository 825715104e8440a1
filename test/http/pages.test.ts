import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { ERRORS } from "#errors.ts";
import { html, prose } from "#http/pages/html.ts";
import { layOutJson } from "#http/pages/json-layout.ts";
import { PAGE_CSP } from "#http/pages/page-policy.ts";
import { createPages } from "#http/pages/pages.ts";
import { curlCode, fetchCode, pythonCode } from "#http/pages/request-code.ts";
import { pageLinks } from "#http/pages/shell.ts";
import { TOOLS } from "#tools/index.ts";

const pages = createPages({ publicUrl: "https://tools.test", rateLimit: 100, version: "1.2.3" });
const named = ["front", "docs", "errors", "notFound"] as const;

describe("every page", () => {
  for (const name of named) {
    const text = pages[name];

    it(`${name}: is well-formed, and no id is there twice`, () => {
      assert.match(text, /^<!doctype html>\n<html lang="en">/);
      assert.deepEqual(findTagFaults(text), []);
      const ids = attributes(text, "id");
      assert.deepEqual(ids, [...new Set(ids)]);
    });

    it(`${name}: has one main heading, and skips no level`, () => {
      const levels = [...text.matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level));
      assert.equal(levels[0], 1);
      assert.equal(levels.filter((level) => level === 1).length, 1);
      levels.reduce((above, level) => {
        assert.ok(level <= above + 1, `h${level} follows h${above}`);
        return level;
      });
    });

    it(`${name}: loads nothing from anywhere`, () => {
      assert.deepEqual(attributes(text, "src"), []);
      assert.doesNotMatch(text, /@import|url\(|<iframe|<object|<embed/i);
      const loading = [...text.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, href]) => href);
      assert.equal(loading.length, 1);
      assert.match(loading[0] as string, /^data:image\/svg\+xml,/);
    });

    it(`${name}: links within itself lead somewhere, and all others stay on this service`, () => {
      const ids = new Set(attributes(text, "id"));
      const links = [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href as string);
      for (const href of links) {
        if (href.startsWith("#")) assert.ok(ids.has(href.slice(1)), href);
        else assert.match(href, /^\/(?:docs(?:\/errors)?(?:#[\w-]+)?|openapi\.json)?$/);
      }
    });

    it(`${name}: has inline code only as its policy allows it`, () => {
      const hashed = (tag: string) => {
        const [, content] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(
          text,
        ) as RegExpExecArray;
        return `'sha256-${createHash("sha256")
          .update(content as string)
          .digest("base64")}'`;
      };
      assert.ok(PAGE_CSP.includes(`style-src ${hashed("style")};`));
      assert.ok(PAGE_CSP.includes(`script-src ${hashed("script")};`));
      assert.doesNotMatch(text, /<[^>]+\s(?:style|on\w+)=/);
      assert.equal(pages.headers["Content-Security-Policy"], PAGE_CSP);
    });

    it(`${name}: is small`, () => assert.ok(Buffer.byteLength(text) < 64 * 1024));

    it(`${name}: escapes whatever the settings say`, () => {
      const hostile = `https://x.test/"'><script>alert(1)</script>&amp;\``;
      const made = createPages({ publicUrl: hostile, rateLimit: 1, version: "<b>'\"" })[name];
      assert.deepEqual(findTagFaults(made), []);
      assert.equal(made.split("<script>").length, 2, "a script more than the page's own");
      assert.doesNotMatch(made, /alert\(1\)<\/script>|<b>'/);
    });
  }
});

describe("the documentation page", () => {
  it("has a section for every tool, with its fields", () => {
    const ids = new Set(attributes(pages.docs, "id"));
    for (const { name } of TOOLS) assert.ok(ids.has(name), name);
    for (const field of ["markdown", "errorCorrectionLevel", "algorithm", "uuids", "receivedAt"]) {
      assert.ok(pages.docs.includes(`<code>${field}</code>`), field);
    }
  });

  it("has the section to which a refusal for want of credits leads", () => {
    assert.ok(attributes(pages.docs, "id").includes("credits"));
  });

  it("tells nothing of a rate limit where there is none", () => {
    const free = createPages({ publicUrl: "https://tools.test", rateLimit: 0, version: "1" });
    assert.ok(pages.docs.includes("RateLimit-Policy"));
    assert.ok(!free.docs.includes("RateLimit-Policy"));
  });
});

describe("the errors page", () => {
  it("has an entry for every code, with the code as its id, its cause and its cure", () => {
    for (const [code, { status, title, cause, cure }] of Object.entries(ERRORS)) {
      const [, entry] = pages.errors.split(` id="${code}">`);
      assert.ok(entry !== undefined, code);
      const own = entry.slice(0, entry.indexOf("</section>"));
      assert.ok(own.includes(`>${status}</span>`), `${code}: status`);
      for (const text of [title, cause, cure]) {
        assert.ok(own.includes(html`${prose(text)}`.text), `${code}: ${text}`);
      }
    }
  });
});

describe("the template", () => {
  it("escapes text, and keeps what is HTML already", () => {
    const inner = html`<b>${"<&>\"'"}</b>`;
    assert.equal(
      html`${inner}${["<", null, false, 7]}`.text,
      "<b>&lt;&amp;&gt;&#34;&#39;</b>&lt;7",
    );
  });

  it("makes code of what is between backticks", () => {
    assert.equal(html`${prose("Send `a<b` now")}`.text, "Send <code>a&lt;b</code> now");
  });
});

describe("links", () => {
  it("keep the path under which the service is published", () => {
    assert.equal(pageLinks("https://x.test").docs, "/docs");
    assert.equal(pageLinks("https://x.test/tools/").docs, "/tools/docs");
    assert.equal(pageLinks("no address").front, "/");
  });
});

describe("code to be copied", () => {
  const url = "https://tools.test/api/v1/echo";

  it("is quoted so that a shell takes the body as it is", () => {
    assert.equal(
      curlCode({ url, body: "it's" }),
      `curl ${url} \\\n  -H "Authorization: Bearer $TOOLBOOTH_KEY" \\\n  -d '"it'\\''s"'`,
    );
    assert.match(curlCode({ url, body: undefined }), /-X POST$/);
    assert.match(
      curlCode({ url: "https://x.test/$(id)", body: 1 }),
      /curl 'https:\/\/x\.test\/\$\(id\)' /,
    );
  });

  it("is JavaScript, and Python's own words in Python", () => {
    const body = { yes: true, none: null, list: [1, "a"] };
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
    assert.doesNotThrow(() => new AsyncFunction(fetchCode({ url, body })));
    assert.ok(pythonCode({ url, body }).includes('{"yes": True, "none": None, "list": [1, "a"]}'));
  });

  it("is JSON that reads back as the same value", () => {
    const long = "x".repeat(80);
    for (const value of [{}, [], { a: [1, { b: null }] }, { a: [long, long], b: {} }, "text", 7]) {
      assert.deepEqual(JSON.parse(layOutJson(value)), value);
    }
  });
});

const attributes = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`<[a-z][^>]* ${name}="([^"]*)"`, "g"))].map(
    ([, value]) => value as string,
  );

const VOID = new Set(["meta", "link", "input", "br"]);

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
