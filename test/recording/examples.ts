import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { OpenApiDocument } from "#api/openapi/document.ts";
import { inProcess } from "../http/in-process.ts";
import { createCaller, openService } from "../http/test-api.ts";

/** To be recorded: every example of the description in each form that its path takes, and the paths without a key. */
test("in process: the examples of the description are sent", async (t) => {
  const service = await openService(inProcess, { rateLimit: 1_000 });
  t.after(service.close);
  const caller = await createCaller(service, { credits: 10_000 });
  const { paths, components } = (await service.send("/openapi.json")).json() as OpenApiDocument;
  for (const [path, item] of Object.entries(paths)) {
    await service.send(path);
    const tool = path.replace(/^\/api\/v1\//, "");
    const taken = item.post?.requestBody?.content;
    if (taken === undefined || !path.startsWith("/api/v1/")) continue;
    const examples = Object.values(taken["application/json"]?.examples ?? {}).map((example) =>
      "$ref" in example
        ? components.examples[example.$ref.slice(example.$ref.lastIndexOf("/") + 1)]?.value
        : example.value,
    );
    const described = item.post?.responses["200"] ?? {};
    const types = "content" in described ? Object.keys(described.content ?? {}) : [];
    for (const example of examples) {
      for (const accept of ["*/*", ...types]) await caller.call(tool, example, { accept });
      const body = gzipSync(JSON.stringify(example));
      await caller.post(tool, { headers: { "content-encoding": "gzip" }, body });
      if (typeof example !== "object" || example === null || Array.isArray(example)) continue;
      const pairs = Object.entries(example).map(([name, value]): [string, string] => [
        name,
        typeof value === "object" ? JSON.stringify(value) : String(value),
      ]);
      const fields = new URLSearchParams(pairs).toString();
      await caller.post(`${tool}?${fields}`, {});
      const form = { "content-type": "application/x-www-form-urlencoded" };
      await caller.post(tool, { headers: form, body: fields });
    }
  }
});
