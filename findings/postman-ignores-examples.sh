#!/usr/bin/env bash
# What does Postman's converter put into the body of an imported request when the description has an example of it?
# Expected: the example. Seen on 2026-11-28 with openapi-to-postmanv2 6.3.3 and its default options (parametersResolution
# "Schema"): neither the example of the media type nor that of the schema, but an invented value for every field, optional ones
# too, such as "<integer>", which the API then rejects. A `default` of the whole schema, which means something else, is taken.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts openapi-to-postmanv2@6.3.3
cat > seen.cjs <<'JS'
const { convertV2 } = require("openapi-to-postmanv2");
const properties = { text: { type: "string" }, count: { type: "integer" } };
const example = { text: "hello" };
const bodyOf = (schema, media) =>
  new Promise((resolve, reject) => {
    const content = { "application/json": { schema: { type: "object", required: ["text"], properties, ...schema }, ...media } };
    const responses = { 200: { description: "Fine." } };
    const data = {
      openapi: "3.0.3",
      info: { title: "t", version: "1" },
      paths: { "/a": { post: { requestBody: { content }, responses } } },
    };
    convertV2({ type: "json", data }, {}, (fault, { output, reason }) => {
      if (fault || !output) return reject(fault ?? new Error(reason));
      let [item] = output[0].data.item;
      while (item.item) [item] = item.item;
      resolve(JSON.stringify(JSON.parse(item.request.body.raw)));
    });
  });
(async () => {
  console.log(`no example: ${await bodyOf({}, {})}`);
  console.log(`example of the media type: ${await bodyOf({}, { example })}`);
  console.log(`examples of the media type: ${await bodyOf({}, { examples: { one: { value: example } } })}`);
  console.log(`example of the schema: ${await bodyOf({ example }, {})}`);
  console.log(`default of the schema: ${await bodyOf({ default: example }, {})}`);
})();
JS
seen=$(node seen.cjs)
echo "$seen"
[ "$seen" = 'no example: {"text":"<string>","count":"<integer>"}
example of the media type: {"text":"<string>","count":"<integer>"}
examples of the media type: {"text":"<string>","count":"<integer>"}
example of the schema: {"text":"<string>","count":"<integer>"}
default of the schema: {"text":"hello"}' ]
