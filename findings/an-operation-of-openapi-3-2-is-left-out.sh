#!/usr/bin/env bash
# A description of OpenAPI 3.2, which has been out for more than a year, with an operation of the new method `query`, one of COPY in `additionalOperations`, and a get, in the newest
# releases of seven readers and clients.
# Expected: all three operations, or an error.
# Seen on 2026-11-30: openapi-client-axios 7.9.1 makes a client without `findUsage` and `copyUsage` and says nothing. @apidevtools/swagger-parser 13.1.0 and @readme/openapi-parser 9.0.0 refuse the
# version. @scalar/openapi-parser 0.29.22, @seriousme/openapi-schema-validator 2.11.0, @redocly/openapi-core 2.64.0 and swagger-client 3.39.0 know it.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @apidevtools/swagger-parser@13.1.0 openapi-types@12.1.3 @readme/openapi-parser@9.0.0 @scalar/openapi-parser@0.29.22 \
  @seriousme/openapi-schema-validator@2.11.0 @redocly/openapi-core@2.64.0 openapi-client-axios@7.9.1 axios@1.21.1 js-yaml@4.3.2 swagger-client@3.39.0
cat > seen.mjs <<'JS'
import SwaggerParser from "@apidevtools/swagger-parser";
import { validate as validateReadme } from "@readme/openapi-parser";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { validate as validateScalar } from "@scalar/openapi-parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import { OpenAPIClientAxios } from "openapi-client-axios";
import SwaggerClient from "swagger-client";
const responses = { 200: { description: "rows" } };
const description = () => structuredClone({
  openapi: "3.2.0", info: { title: "Usage", version: "1" }, servers: [{ url: "http://localhost" }],
  paths: {
    "/usage": {
      get: { operationId: "listUsage", responses },
      query: { operationId: "findUsage", requestBody: { content: { "application/json": { schema: { type: "object" } } } }, responses },
      additionalOperations: { COPY: { operationId: "copyUsage", responses } },
    },
  },
});
const isValid = ({ valid }) => (valid ? "valid" : "invalid");
const readers = {
  "swagger-parser": () => SwaggerParser.validate(description()).then(() => "valid"),
  readme: () => validateReadme(description()).then(isValid),
  scalar: () => validateScalar(description()).then(isValid),
  seriousme: () => new Validator().validate(description()).then(isValid),
  redocly: async () => {
    const problems = await lintFromString({ source: JSON.stringify(description()), config: await createConfig({ rules: { struct: "error" } }) });
    return problems.length ? "invalid" : "valid";
  },
  "openapi-client-axios": async () => Object.keys(await new OpenAPIClientAxios({ definition: description() }).init()).filter((name) => /usage/i.test(name)).join(" "),
  "swagger-client": async () => Object.keys((await new SwaggerClient({ spec: description() })).apis.default).sort().join(" "),
};
for (const [name, read] of Object.entries(readers)) console.log(`${name}: ${await Promise.resolve().then(read).catch(() => "an error")}`);
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'swagger-parser: an error
readme: an error
scalar: valid
seriousme: valid
redocly: valid
openapi-client-axios: listUsage
swagger-client: copyUsage findUsage listUsage' ]
