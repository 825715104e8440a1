import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { SETTINGS } from "#config/settings.ts";
import { ERRORS } from "#errors.ts";
import { createDocs, prefersMarkdown } from "#site/docs/docs.ts";
import { expandDirectives } from "#site/docs/expand.ts";
import { docsFacts } from "#site/docs/facts.ts";
import { CONTENTS_FILE, type DocsSources, readNavigation } from "#site/docs/navigation.ts";
import { CAPTIONS, renderPageBody, slugOf } from "#site/docs/render-page.ts";
import type { SearchEntry } from "#site/docs/search-index.ts";
import { createPages } from "#site/pages.ts";
import { TOOLS } from "#tools/registry.ts";
import { type Changes, openMemory } from "../http/in-process.ts";
import { noPrices } from "../web/sales-fixtures.ts";
import { FULL, ROOT } from "./pages-server.ts";
import { filledDocs } from "./write-docs.ts";

const sources = FULL.docs as DocsSources;
const docs = createDocs(sources, FULL);
const markdown = (target: string) => docs.markdown(target) ?? "";

describe("directives", () => {
  const facts = {
    conditions: { yes: true, no: false },
    values: { price: "7 credits" },
    blocks: { list: (argument: string) => `- ${argument}\n` },
  };
  const expand = (source: string) => expandDirectives(source, facts);

  it("keep or leave out a part of a page", () => {
    assert.equal(expand("<!-- if yes -->\nshown\n<!-- end -->\nafter"), "shown\nafter");
    assert.equal(expand("<!-- if no -->\nhidden\n<!-- end -->\nafter"), "after");
    assert.equal(expand("<!-- if not no -->\nshown\n<!-- end -->\n"), "shown\n");
    assert.equal(expand("<!-- if no -->\n<!-- if yes -->\na\n<!-- end -->\nb\n<!-- end -->\n"), "");
  });

  it("replace a value within a sentence and a generated block", () => {
    assert.equal(
      expand("costs <!-- value price -->one credit<!-- end -->.\n"),
      "costs 7 credits.\n",
    );
    assert.equal(expand("<!-- generated list hash -->\nold\n<!-- end -->\nafter"), "- hash\nafter");
  });

  it("must be known and closed", () => {
    assert.throws(() => expand("<!-- if maybe -->\n<!-- end -->\n"), /know no "maybe"/);
    assert.throws(() => expand("<!-- value toString -->x<!-- end -->"), /know no "toString"/);
    assert.throws(() => expand("<!-- if yes -->\n"), /has no <!-- end -->/);
    assert.throws(() => expand("<!-- end -->\n"), /was not opened/);
  });
});

describe("the sources in docs/", () => {
  const files = Object.keys(sources);

  it("are all in the contents, and each begins with its title", () => {
    const listed = readNavigation(sources, TOOLS).map(({ file }) => file);
    assert.deepEqual([...listed, CONTENTS_FILE].toSorted(), files.toSorted());
    for (const file of files) {
      assert.match(sources[file] ?? "", /^(?:<!-- for operators -->\n)?# .+\n\n\S/, file);
      assert.doesNotMatch(file, /^tool-/, "the addresses of own tools' pages");
    }
  });

  it("link only to files and headings that are there, so that GitHub shows them too", () => {
    const ids = new Map(
      files.map((file) => [
        file,
        new Set(
          [...(sources[file] ?? "").matchAll(/^#{2,6} (.+)$/gm)].map(([, title = ""]) =>
            slugOf(title.replaceAll("`", "")),
          ),
        ),
      ]),
    );
    for (const file of files) {
      const text = (sources[file] ?? "")
        .replace(/^(`{3,})[\s\S]*?^\1$/gm, "")
        .replace(/(?<!\[)`[^`\n]+`(?!\])/g, "");
      for (const [, target = ""] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
        const [to = "", id] = target.split("#");
        const linked = to === "" ? file : to;
        assert.ok(existsSync(path.join(ROOT, "docs", linked)), `${file}: ${target}`);
        if (id !== undefined) assert.ok(ids.get(linked)?.has(id), `${file}: ${target}`);
      }
    }
  });

  it("name a known language for every code block, and close it", () => {
    for (const file of files) {
      let open = "";
      for (const [, mark = "", language = ""] of (sources[file] ?? "").matchAll(
        /^ *(```+)(.*)$/gm,
      )) {
        assert.equal(language in CAPTIONS, open === "", `${file}: ${mark}${language}`);
        open = open === "" ? mark : "";
      }
      assert.equal(open, "", file);
    }
  });

  it("contain what the code generates, so that they are complete on GitHub", () => {
    for (const [file, filled] of filledDocs()) {
      assert.ok(sources[file] === filled, `docs/${file} is out of date: run npm run docs`);
    }
    assert.match(sources["configuration.md"] ?? "", /^\| `PORT` \| `8787` \|/m);
    assert.match(sources["errors.md"] ?? "", /^## `rate_limited`$/m);
  });

  it("write the defaults where GitHub shows what the site fills in", () => {
    const { values } = docsFacts({
      ...FULL,
      dashboard: { ...FULL.dashboard, providers: ["github", "google"], prices: noPrices },
    });
    for (const file of files) {
      const found = (sources[file] ?? "").matchAll(/<!-- value ([\w-]+) -->(.*?)<!-- end -->/g);
      for (const [, name = "", shown] of found) {
        // The name of the plan is the operator's.
        if (name !== "lifetime-name") assert.equal(shown, values[name], `${file}: ${name}`);
      }
    }
  });
});

describe("a rendered page", () => {
  it("has headings with GitHub's ids, each linking to itself and none twice", () => {
    const { title, body, headings } = renderPageBody(
      "# Title\n\nLead.\n\n## `a_b` & more\n\n## Two\n\n### Two\n",
    );
    assert.equal(title, "Title");
    assert.deepEqual(
      headings.map(({ id, level }) => [id, level]),
      [
        ["a_b--more", 2],
        ["two", 2],
        ["two-1", 3],
      ],
    );
    assert.ok(body.includes('<p class="lead">Lead.</p>'));
    assert.ok(body.includes('<h2 id="two"><a href="#two">Two</a></h2>'));
  });

  it("shows code blocks in several languages as tabs, and other code as it is", () => {
    const { body } = renderPageBody(
      "```sh\ncurl x\n```\n\n```js\nx < 1\n```\n\n```json\n{}\n```\n",
    );
    assert.doesNotMatch(String(body), /class="tabs"/, "JSON is no language of a call");
    const tabs = String(renderPageBody("```sh\ncurl x\n```\n\n```js\nx < 1\n```\n\ntext\n").body);
    assert.match(tabs, /<div class="tabs">\n<figure class="code" data-language="sh">/);
    assert.match(tabs, /<span>curl<\/span>/);
    assert.match(tabs, /<code>x &lt; 1<\/code>/);
  });

  it("names every table, and gives a setting's row its name as id", () => {
    const table = "| Setting | Default |\n| --- | --- |\n| `PORT` | 1 |\n";
    const { body } = renderPageBody(`${table}\n${table}`);
    assert.deepEqual(
      [...body.matchAll(/aria-label="([^"]*)"/g)].map(([, label]) => label),
      ["Table: Setting, Default", "Table: Setting, Default 2"],
    );
    assert.equal(body.split('<tr id="PORT">').length, 2);
  });
});

describe("the reference of a tool", () => {
  it("shows the types that it takes and gives, from its definition", () => {
    for (const { name, rawBody, verbatim, representations } of TOOLS) {
      const text = markdown(`/docs/${name}`);
      for (const type of rawBody?.types ?? []) {
        assert.match(
          text,
          new RegExp(`^\\| .*\`${type}\`.* in place of \`${rawBody?.field}\``, "m"),
        );
      }
      for (const type of ["`multipart/form-data`", "`application/x-www-form-urlencoded`"]) {
        assert.equal(text.includes(type), verbatim === undefined, name);
      }
      assert.equal(text.includes("| Accept | Response |"), representations !== undefined, name);
      for (const { type } of representations ?? []) {
        const escaped = type.replace("+", "\\+");
        assert.match(text, new RegExp(`^\\| \`${escaped}\` \\| The bare result`, "m"));
        assert.match(text, new RegExp(`^curl .* -H "Accept: ${escaped}" `, "m"));
      }
    }
    assert.match(markdown("/docs/qr-code"), /The bare result; `format` is `svg`/);
    assert.match(
      markdown("/docs/uuid"),
      /Fields can also be a form \(.*\) or parameters of the query/,
    );
    assert.doesNotMatch(markdown("/docs/echo"), /query/);
  });

  it("is summed up on the page about calls", () => {
    const text = markdown("/docs/calls");
    assert.match(text, /^\| `hash` \| `application\/octet-stream`, .* \| `text\/plain` \|$/m);
    assert.match(text, /^\| `echo` \| none \| none \|$/m);
    assert.match(text, /^\| Form \| 20 fields, a file included \|$/m);
  });
});

describe("a page as Markdown", () => {
  it("is its source with the address of the service and whole links", () => {
    const page = markdown("/docs/quickstart");
    assert.match(page, /^# Quickstart\n/);
    assert.ok(page.includes("curl https://tools.test/api/v1/hash"));
    assert.ok(page.includes("[Errors](https://tools.test/docs/errors.md)"));
    assert.ok(page.includes("```python\n"));
    assert.doesNotMatch(page, /api\.example\.com|<!--/);
  });

  it("has the limits of the tools", () => {
    assert.ok(
      markdown("/docs/calls").includes("| `qr-code`: `text` | 4 KB (4,096 bytes) of UTF-8 |"),
    );
  });

  it("links every page from /llms.txt", () => {
    const llms = createPages(FULL).find("/llms.txt")?.body ?? "";
    for (const { slug } of docs.entries) {
      assert.ok(llms.includes(`(https://tools.test/docs/${slug}.md)`), slug);
    }
  });
});

describe("the search", () => {
  const entries = JSON.parse(docs.searchIndex()) as SearchEntry[];
  const find = (title: string) => entries.find((entry) => entry.title === title);

  it("finds every error code, every setting and every heading, where they are", () => {
    for (const code of Object.keys(ERRORS)) {
      assert.equal(find(code)?.href, `/docs/errors#${code}`);
    }
    for (const { name } of SETTINGS) {
      assert.equal(find(name)?.href, `/docs/configuration#${name}`);
    }
    assert.equal(find("Safe retries")?.href, "/docs/calls#safe-retries");
    for (const { href } of entries.filter(({ href }) => !href.startsWith("/tools/"))) {
      const [target = "", id] = href.split("#");
      const page = docs.html(target) ?? "";
      assert.ok(id === undefined ? page !== "" : page.includes(` id="${id}"`), href);
    }
  });

  it("finds every tool", () => {
    const found = entries.filter(({ href }) => href.startsWith("/tools/"));
    assert.deepEqual(
      found.map(({ title, href }) => [title, href]),
      TOOLS.map(({ name, title }) => [title, `/tools/${name}`]),
    );
  });

  it("is a plain list for a browser without scripts", () => {
    const list = docs.html("/docs/topics") ?? "";
    for (const { title, href } of entries) {
      if (title !== "" && !href.startsWith("/tools/"))
        assert.ok(list.includes(`<li><a href="${href}">`), href);
    }
    assert.ok(docs.html("/docs")?.includes('<a href="/docs/topics">All topics</a>'));
  });
});

describe("the routes of the documentation", () => {
  const get = async (target: string, accept?: string, changes: Changes = { docs: sources }) => {
    const headers = accept === undefined ? {} : { Accept: accept };
    const { app } = openMemory({ rateLimit: 0 }, changes);
    const response = await app.fetch(new Request(`https://tools.test${target}`, { headers }));
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      vary: response.headers.get("vary"),
      text: await response.text(),
    };
  };

  it("serve a page as HTML, and as Markdown by its path or by Accept", async () => {
    for (const target of ["/docs", "/docs/errors"]) {
      const page = await get(target, "text/html,*/*;q=0.8");
      assert.deepEqual(
        [page.status, page.type, page.vary],
        [200, "text/html; charset=utf-8", "Accept"],
      );
      const accepted = await get(target, "text/markdown, text/html;q=0.9");
      assert.deepEqual(
        [accepted.status, accepted.type, accepted.vary],
        [200, "text/markdown; charset=utf-8", "Accept"],
      );
      const byPath = await get(`${target}.md`);
      assert.deepEqual([byPath.status, byPath.type], [200, "text/markdown; charset=utf-8"]);
      assert.equal(byPath.text, accepted.text);
    }
    const index = await get("/docs/search.json");
    assert.deepEqual([index.status, index.type], [200, "application/json"]);
  });

  it("have no other pages, and no files of the folder", async () => {
    for (const target of [
      "/docs/nothing",
      "/docs/nothing.md",
      "/docs/README.md",
      "/docs/decisions",
      "/docs/%2e%2e%2fpackage.json",
      "/docs/%ff",
    ]) {
      const page = await get(target);
      assert.deepEqual([page.status, page.type], [404, "text/html; charset=utf-8"], target);
    }
  });

  it("ask the client to come back where the documentation is not there yet", async () => {
    assert.equal((await get("/docs", undefined, {})).status, 503);
  });

  it("take Accept by its weights", () => {
    for (const [accept, isMarkdown] of [
      [null, false],
      ["*/*", false],
      ["text/html,application/xhtml+xml,*/*;q=0.8", false],
      ["text/markdown", true],
      ["text/markdown;q=0.5, text/html", false],
      ["TEXT/MARKDOWN, text/html", true],
      ["text/markdown;q=0", false],
    ] as const) {
      assert.equal(prefersMarkdown(accept), isMarkdown, String(accept));
    }
  });
});

it("the README of the repository links only to files that are there", () => {
  const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
  for (const [, target = ""] of readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
    assert.ok(existsSync(path.join(ROOT, target)), target);
  }
});
