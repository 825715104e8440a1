import assert from "node:assert/strict";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { openBrowser } from "./chromium.ts";
import { HANGS_MS } from "./deadline.ts";
import { COMPATIBILITY_DATE } from "./wrangler-config.ts";

/** What runs one and the same script: from JSON texts to the answers of its function `respondList`. */
export type Runtime = { name: string; run(lists: readonly string[]): Promise<string[]> };

/** `entry` defines `respondList`; its imports are found from `resolveDir`. */
export type Script = { entry: string; resolveDir: string };

/** The runtimes beside Node. */
export const runtimesFor = (script: Script): Runtime[] => [workerd(script), chromium(script)];

/** One script that needs nothing of where it runs. `after`: how it is called there. */
export async function bundle({ entry, resolveDir }: Script, after: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: entry + after, resolveDir },
    ...{ bundle: true, write: false, metafile: true, minify: true },
    format: "esm",
    target: "es2024",
    logLevel: "silent",
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  assert.deepEqual(imports, []);
  return outputFiles[0]?.text ?? "";
}

const workerd = (script: Script): Runtime => ({
  name: "workerd",
  async run(lists) {
    const contents = await bundle(
      script,
      "export default { fetch: async (request) => new Response(respondList(await request.text())) };",
    );
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        modules: [{ type: "ESModule", path: "worker.mjs", contents }],
        compatibilityDate: COMPATIBILITY_DATE,
        cf: false,
      }),
    );
    try {
      const responses: string[] = [];
      for (const body of lists) {
        const init = { method: "POST", body };
        const response = await miniflare.dispatchFetch("http://worker.test/", init);
        responses.push(await response.text());
      }
      return responses;
    } finally {
      await miniflare.dispose();
    }
  },
});

const chromium = (script: Script): Runtime => ({
  name: "Chromium",
  async run(lists) {
    const content = await bundle(script, "globalThis.respondList = respondList;");
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(HANGS_MS);
      await page.addScriptTag({ content, type: "module" });
      const responses: string[] = [];
      for (const list of lists) {
        responses.push(
          await page.evaluate(
            (json) =>
              (globalThis as unknown as { respondList(json: string): string }).respondList(json),
            list,
          ),
        );
      }
      return responses;
    } finally {
      await browser.close();
    }
  },
});
