import { RESULT_VIEWS } from "virtual:tool-views";
import { Anchor, Group, Loader, Stack, Text } from "@mantine/core";
import type { Tool } from "#tools/define-tool.ts";
import { base } from "../addresses.ts";
import { Alert } from "../parts/alert.tsx";
import { PlainResult } from "./plain-result.tsx";
import { Prose } from "./prose.tsx";
import type { CallResponse } from "./respond-to-call.ts";
import type { ResponseState } from "./use-response.ts";

/** The result for the current input, or an error. */
export function ResultPane({
  tool,
  state,
  response,
  button,
}: {
  tool: Tool<unknown>;
  state: ResponseState;
  response: CallResponse | null;
  button: string | undefined;
}) {
  const Result = RESULT_VIEWS[tool.name] ?? PlainResult;
  const old = state.slow || state.error !== null;
  return (
    <Stack gap="sm">
      {state.slow && (
        <Group gap="xs">
          <Loader size="xs" aria-hidden />
          <Text size="sm" c="dimmed">
            Working. The previous result is shown below.
          </Text>
        </Group>
      )}
      {state.error !== null && (
        <Alert color="red" title="The tool could not run">
          {state.error.message}
        </Alert>
      )}
      {response === null && state.response !== null && button !== undefined && (
        <div className="tool-card">
          <Text c="dimmed">Select {button} to get a new result.</Text>
        </div>
      )}
      {response !== null && (
        <div data-old={old || undefined} className="tool-result">
          {response.status === 200 ? (
            <Result response={response.body} />
          ) : (
            <ProblemDetails body={response.body} />
          )}
        </div>
      )}
    </Stack>
  );
}

/** The error in the words of the API. */
function ProblemDetails({ body }: { body: string }) {
  const { title, detail, code, status } = JSON.parse(body) as Problem;
  return (
    <Alert color="red" title={title}>
      <Text size="sm">
        <Prose text={detail} />
      </Text>
      <Text size="sm" mt="xs">
        The API responds with status {status} and charges nothing. Error code:{" "}
        <Anchor href={`${base()}/docs/errors#${code}`} inherit underline="always">
          {code}
        </Anchor>
      </Text>
    </Alert>
  );
}

type Problem = { title: string; detail: string; code: string; status: number };
