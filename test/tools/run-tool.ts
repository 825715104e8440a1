import assert from "node:assert/strict";
import { ApiError } from "#errors.ts";
import { checkInput } from "#tools/check-input.ts";
import type { Tool, ToolContext } from "#tools/define-tool.ts";
import { fixedToolContext } from "../support/tool-context.ts";

/** The response to this body of a tool that does not return a promise. */
export function runTool<Input, Output>(
  tool: Tool<Input, Output>,
  request: unknown,
  context: ToolContext = fixedToolContext(),
): Output {
  const output = tool.run(checkInput(tool as Tool<Input>, request).input, context);
  assert.ok(!(output instanceof Promise));
  return output;
}

/** The error that the work throws. */
export function errorOf(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }
  assert.fail("nothing was thrown");
}
