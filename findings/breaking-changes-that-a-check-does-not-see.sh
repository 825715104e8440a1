#!/usr/bin/env bash
# A check in CI compares two descriptions of an API (OpenAPI 3.0) and stops what breaks its callers. Eleven changes, each for itself, and two tools.
# Expected: breaking, each of them: a caller that was right before is refused afterwards, or finds another answer.
# Seen on 2026-11-30: openapi-diff 0.24.1 finds no difference at all where a parameter becomes required, a value of an enum is removed from a request or added to an answer, a pattern is narrowed, and an answer may be null; that JSON is not
# taken any more is no breaking change to it. api-smart-diff 1.0.6 sees those, but says "non-breaking" where a member of an answer is removed or is of another type, an answer may be null, or unknown members are refused. So both are needed, and what
# none says, an answer that may be null, is still missing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts openapi-diff@0.24.1 api-smart-diff@1.0.6
cat > seen.mjs <<'JS'
import { apiDiff } from "api-smart-diff";
import openapiDiff from "openapi-diff";
const describe = () => {
  const request = { type: "object", required: ["format"], properties: { format: { type: "string", enum: ["png", "svg"] }, size: { type: "integer", maximum: 100 }, name: { type: "string", pattern: "^.+$" } } };
  const answer = { type: "object", properties: { id: { type: "string" }, status: { type: "string", enum: ["on", "off"] }, credits: { type: "integer" } } };
  const post = { parameters: [{ name: "dry", in: "query", schema: { type: "string" } }], requestBody: { content: { "application/json": { schema: request } } },
    responses: { 200: { description: "done", content: { "application/json": { schema: answer } } } } };
  return { request, answer, post, description: { openapi: "3.0.3", info: { title: "t", version: "1" }, paths: { "/codes": { post } } } };
};
const changes = {
  "new required member": ({ request }) => { request.required.push("name"); },
  "parameter required": ({ post }) => { post.parameters[0].required = true; },
  "value removed": ({ request }) => { request.properties.format.enum = ["png"]; },
  "maximum smaller": ({ request }) => { request.properties.size.maximum = 10; },
  "pattern narrower": ({ request }) => { request.properties.name.pattern = "^a"; },
  "no other members": ({ request }) => { request.additionalProperties = false; },
  "no JSON": ({ post, request }) => { post.requestBody.content = { "application/x-www-form-urlencoded": { schema: request } }; },
  "answer without a member": ({ answer }) => { delete answer.properties.credits; },
  "answer of another type": ({ answer }) => { answer.properties.credits = { type: "string" }; },
  "new value in an answer": ({ answer }) => { answer.properties.status.enum.push("paused"); },
  "answer may be null": ({ answer }) => { answer.properties.id.nullable = true; },
};
const spec = (content) => ({ content: JSON.stringify(content), location: "description.json", format: "openapi3" });
const tools = {
  "openapi-diff": async (before, after) => (await openapiDiff.diffSpecs({ sourceSpec: spec(before), destinationSpec: spec(after) })).breakingDifferencesFound,
  "api-smart-diff": (before, after) => apiDiff(before, after).some(({ type }) => type === "breaking"),
};
for (const [name, isBreaking] of Object.entries(tools)) {
  const missed = [];
  for (const [words, change] of Object.entries(changes)) {
    const after = describe();
    change(after);
    if (!(await isBreaking(describe().description, after.description))) missed.push(words);
  }
  console.log(`${name} lets through: ${missed.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'openapi-diff lets through: parameter required, value removed, pattern narrower, no JSON, new value in an answer, answer may be null
api-smart-diff lets through: no other members, answer without a member, answer of another type, answer may be null' ]
