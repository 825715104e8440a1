import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { openBrowser } from "../../chromium.ts";
import { type Document, documents } from "./everywhere-documents.ts";
import { renderList, toAscii } from "./everywhere-run.ts";

type Rendered = [html: string, text: string];
type Runtime = { name: string; run(lists: readonly string[]): Promise<string[]> };

/** So many documents a message. */
const LIST_LENGTH = 500;

/** The engine as one script that needs nothing of where it runs. `after`: how it is called there. */
async function bundle(after: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `import { renderList } from "./everywhere-run.ts";\n${after}`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    target: "es2024",
    logLevel: "silent",
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  assert.deepEqual(imports, []);
  return outputFiles[0]?.text ?? "";
}

const node: Runtime = { name: "Node", run: async (lists) => lists.map(renderList) };

const workerd: Runtime = {
  name: "workerd",
  async run(lists) {
    const contents = await bundle(
      "export default { fetch: async (request) => new Response(renderList(await request.text())) };",
    );
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        modules: [{ type: "ESModule", path: "worker.mjs", contents }],
        compatibilityDate: "2026-01-01",
        cf: false,
      }),
    );
    try {
      const answers: string[] = [];
      for (const body of lists) {
        const answer = await miniflare.dispatchFetch("http://worker.test/", {
          method: "POST",
          body,
        });
        answers.push(await answer.text());
      }
      return answers;
    } finally {
      await miniflare.dispose();
    }
  },
};

const chromium: Runtime = {
  name: "Chromium",
  async run(lists) {
    const content = await bundle("globalThis.renderList = renderList;");
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content, type: "module" });
      const answers: string[] = [];
      for (const list of lists) {
        answers.push(
          await page.evaluate(
            (json) => (globalThis as unknown as { renderList: typeof renderList }).renderList(json),
            list,
          ),
        );
      }
      return answers;
    } finally {
      await browser.close();
    }
  },
};

async function render(runtime: Runtime, all: readonly Document[]): Promise<Rendered[]> {
  const lists: string[] = [];
  for (let at = 0; at < all.length; at += LIST_LENGTH) {
    lists.push(toAscii(all.slice(at, at + LIST_LENGTH).map(({ markdown }) => markdown)));
  }
  return (await runtime.run(lists)).flatMap((answer) => JSON.parse(answer) as Rendered[]);
}

/** Throws with the first document that is rendered otherwise. */
function assertSame(
  runtime: string,
  all: readonly Document[],
  rendered: readonly Rendered[],
  expected: readonly Rendered[],
): void {
  assert.equal(rendered.length, expected.length, runtime);
  const differing = all.flatMap((_, index) => {
    const [html, text] = rendered[index] as Rendered;
    return html === expected[index]?.[0] && text === expected[index][1] ? [] : [index];
  });
  const [first] = differing;
  if (first === undefined) return;
  const message = `${differing.length} differ in ${runtime}, first ${JSON.stringify(all[first])}`;
  assert.deepEqual(rendered[first], expected[first], message);
}

test("Node, workerd and Chromium give the same HTML and the same text", async (t) => {
  const all = documents();
  const expected = await render(node, all);
  t.diagnostic(`${all.length} documents, ${expected.flat().join("").length} characters of output`);
  assert.equal(expected.length, all.length);
  for (const runtime of [workerd, chromium]) {
    assertSame(runtime.name, all, await render(runtime, all), expected);
  }
});

test("one letter of one document is told", () => {
  const all = ["a", "b"].map((markdown) => ({ name: markdown, markdown }));
  const expected: Rendered[] = [
    ["<p>a</p>", "a"],
    ["<p>b</p>", "b"],
  ];
  const check = (html: string, text: string) => () =>
    assertSame(
      "a runtime",
      all,
      [
        ["<p>a</p>", "a"],
        [html, text],
      ],
      expected,
    );
  check("<p>b</p>", "b")();
  const message = /^1 differ in a runtime, first {"name":"b"/;
  assert.throws(check("<p>B</p>", "b"), { message });
  assert.throws(check("<p>b</p>", "b\n"), { message });
});
