import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as z from "zod";
import type { MediaType } from "#api/openapi/document.ts";
import { describeApi } from "#api/openapi/openapi.ts";
import { describeOwnTool, toolOfDescription } from "#api/openapi/tool-description.ts";
import { welcome } from "#apps/node/demo-account.ts";
import { firstCall } from "#site/first-call.ts";
import { createPages } from "#site/pages.ts";
import { type CallShown, traitsOf } from "#site/request-code.ts";
import { defineTool } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";
import { serveHttp } from "../support/http-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { FULL } from "./pages-server.ts";
import { RUNNABLE, runSample } from "./sample-programs.ts";

/** The description, the documentation and the samples of a tool that takes a file. */

const SCAN = toolOfDescription(
  describeOwnTool(
    ownTool(
      "scan-page",
      defineTool({
        summary: "Reads a page.",
        price: ({ pages }) => pages,
        priceMax: 5,
        input: { language: z.string(), pages: z.int().default(1) },
        file: { types: ["image/jpeg", "application/pdf"], bytesMax: 5_242_880 },
        run: () => ({ text: "" }),
      }),
    ),
  ),
);
const BODY = { language: "en & de", pages: 2, tags: ["a", "b c"] };
const PICTURE = Buffer.from([0xff, 0xd8, 0x00, 0x0a, 0x0d, 0xff]);

for (const language of RUNNABLE) {
  const { title, write, skip } = language;
  test(`the sample in ${title} sends the file as the body, and the fields in the query`, {
    skip,
  }, async (t) => {
    const folder = temporaryFolder(t);
    const received: unknown[] = [];
    const base = await serveHttp(t, async (request, response) => {
      const pieces = await request.toArray();
      const fields = [...new URL(request.url ?? "", "http://a").searchParams];
      received.push(fields, request.headers["content-type"], Buffer.concat(pieces));
      response.writeHead(200, { "Content-Type": "application/json" }).end('{"ok":true}');
    });
    const call: CallShown = { url: `${base}/scan`, body: BODY, ...traitsOf(SCAN) };
    writeFileSync(path.join(folder, "file.jpg"), PICTURE);
    await runSample(language, write(call), { folder });
    const query = ["language=en & de", "pages=2", "tags=a", "tags=b c"];
    const fields = query.map((each) => each.split("="));
    assert.deepEqual(received, [fields, "image/jpeg", PICTURE]);
  });
}

test("its page says what files it takes, and how to ask for a price without one", () => {
  const pages = createPages({ ...FULL, tools: [SCAN, ...FULL.tools] });
  const page = pages.docs?.markdown("/docs/tool-scan-page") ?? "";
  assert.match(page, /\| `image\/jpeg`, `application\/pdf` \| The file, up to 5 MB/);
  assert.match(
    page,
    /\/api\/v1\/scan-page\?language=hello\+world' \\\n {2}-H .+ \\\n {2}-H "Content-Type: image\/jpeg" \\\n {2}--data-binary @file\.jpg/,
  );
  assert.match(page, /\/api\/v1\/scan-page\/quote\?language=hello\+world' \\\n.+ \\\n {2}-X POST/);
  assert.match(page, /\[Files\]\(https:\/\/tools\.test\/docs\/calls\.md#files\)/);
  const calls = pages.docs?.markdown("/docs/calls") ?? "";
  assert.match(calls, /### Files\n/);
  assert.match(
    calls,
    /\| `scan-page` \| `image\/jpeg`, `application\/pdf`, `multipart\/form-data`, and no JSON \| none \|/,
  );
  assert.match(calls, /\| `scan-page`: file \| 5 MB/);
  assert.doesNotMatch(createPages(FULL).docs?.markdown("/docs/calls") ?? "", /### Files\n/);
  assert.match(
    pages.docs?.markdown("/docs/mcp") ?? "",
    /all tools except those that take a file, with/,
  );
});

test("the OpenAPI description has the file as a body of each type and as a form, and no JSON", () => {
  const { paths, components } = describeApi({ ...FULL, tools: [SCAN], version: "0.0.0" } as never);
  const bodyAt = (to: string) => paths[to]?.post?.requestBody;
  const call = bodyAt("/api/v1/scan-page");
  const content = call?.content as Record<string, MediaType>;
  assert.deepEqual(Object.keys(content), ["image/jpeg", "application/pdf", "multipart/form-data"]);
  assert.equal(call?.required, true);
  assert.deepEqual(content["application/pdf"]?.schema, {
    ...{ type: "string", format: "binary", contentMediaType: "application/pdf" },
    description: "The file. The other fields are parameters of the query.",
  });
  const form = content["multipart/form-data"]?.schema as { required: string[]; properties: object };
  assert.deepEqual(form.required, ["file", "language"]);
  assert.deepEqual(Object.keys(form.properties), ["file", "language", "pages"]);
  assert.equal(bodyAt("/api/v1/scan-page/quote")?.required, false);
  assert.equal(Object.hasOwn(components.schemas, "CallScanPageInput"), false);
  assert.equal(paths["/api/v1/scan-page"]?.post?.["x-limits"]?.fileBytesMax, 5_242_880);
});

test("the first call that a service shows needs no file, unless every tool takes one", () => {
  const [other] = FULL.tools;
  assert.equal(firstCall([SCAN, ...FULL.tools]).tool, other);
  const line = welcome("tb_key", "http://a.test", 100, firstCall([SCAN]));
  assert.match(
    line,
    /curl -s 'http:\/\/a\.test\/api\/v1\/scan-page\?language=hello\+world' .+ -H 'Content-Type: image\/jpeg' --data-binary @file\.jpg\n/,
  );
});
