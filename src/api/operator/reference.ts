import * as z from "zod";
import { pathOf, responseOf } from "#operator/operation.ts";
import { OPERATIONS } from "#operator/operations.ts";

const JSON_TYPE = "application/json";

/** Describes the API for operators (OpenAPI 3.1), from the entries of the operations. */
export const operatorReference = (): object => ({
  openapi: "3.1.1",
  info: { title: "Toolbooth for operators", version: "1" },
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  security: [{ token: [] }],
  paths: Object.fromEntries(
    OPERATIONS.map((operation) => [pathOf(operation), { post: describe(operation) }]),
  ),
});

const SENT_AGAIN = "A random id of the request. A request that is sent again is carried out once.";
const BY_ID =
  "Name the account by its id: the request takes away the address, which finds nothing when it is sent again.";

const describe = (operation: (typeof OPERATIONS)[number]) => {
  const { name, summary, input, output, action } = operation;
  const response = z.toJSONSchema(responseOf(output), { io: "input" });
  const result =
    "open" in operation
      ? {
          headers: { "Toolbooth-Result": { content: { [JSON_TYPE]: { schema: response } } } },
          content: { "application/octet-stream": {} },
        }
      : { content: { [JSON_TYPE]: { schema: response } } };
  return {
    operationId: name.replaceAll(/[ -](\w)/g, (_, character: string) => character.toUpperCase()),
    summary,
    parameters: [
      {
        ...{ name: "Idempotency-Key", in: "header", schema: { type: "string", minLength: 16 } },
        description: action?.takesAddress ? `${SENT_AGAIN} ${BY_ID}` : SENT_AGAIN,
      },
    ],
    requestBody: { content: { [JSON_TYPE]: { schema: z.toJSONSchema(input, { io: "input" }) } } },
    responses: {
      "200": { description: "The result", ...result },
      default: {
        description: "A problem (RFC 9457) with `code` and `detail`",
        content: { "application/problem+json": {} },
      },
    },
  };
};
