import { Button, Group, Text, Title, VisuallyHidden } from "@mantine/core";
import { useMemo, useState } from "react";
import type { FieldError } from "#errors.ts";
import type { Tool } from "#tools/define-tool.ts";
import { absoluteUrl } from "../addresses.ts";
import { useVisitor } from "../queries.ts";
import { ApiCall } from "./api-call.tsx";
import { requestText, withoutSecrets } from "./request-text.ts";
import { ResultPane } from "./result-pane.tsx";
import { type FieldValues, fieldsOf, startValues, valuesFor } from "./tool-fields.ts";
import { ToolForm } from "./tool-form.tsx";
import { type ResponseState, useResponse } from "./use-response.ts";

/** Shown in place of a request id, which only the service assigns. */
const REQUEST_ID = "in-your-browser";

/** The form of a tool, its result, and the equivalent API call. */
export function Workbench({ tool }: { tool: Tool<unknown> }) {
  const button = tool.page?.button;
  const fields = useMemo(() => fieldsOf(tool), [tool]);
  const [values, setValues] = useState<FieldValues>(() => startValues(tool));
  const body = useMemo(
    () => new TextEncoder().encode(requestText(tool, fields, values)),
    [tool, fields, values],
  );
  const shown = useMemo(() => {
    const { values: safe, hasSecret } = withoutSecrets(fields, values);
    if (!hasSecret) return { body, hasSecret };
    return { body: new TextEncoder().encode(requestText(tool, fields, safe)), hasSecret };
  }, [tool, fields, values, body]);
  const apiUrl = useVisitor().data?.apiUrl ?? absoluteUrl("");
  const [requested, requestRun] = useRequestedRun(body);
  const state = useResponse(tool, body, { apiUrl, requestId: REQUEST_ID }, requested.run);
  const isRejected = state.response !== null && state.response.status !== 200;
  const response =
    isRejected || button === undefined || isRequested(requested, state) ? state.response : null;
  const problem = useMemo(() => readProblem(state), [state]);

  return (
    <>
      <div className="tool-bench">
        <section aria-labelledby="tool-input">
          <Title order={2} id="tool-input" mb="sm">
            Input
          </Title>
          <Examples tool={tool} onChoose={setValues} />
          <ToolForm
            fields={fields}
            values={values}
            errorOf={({ name }) => errorAt(problem, tool.verbatim ? "" : `/${name}`)}
            onChange={setValues}
          />
          {button !== undefined && (
            <Button mt="lg" onClick={requestRun} disabled={isRejected && state.body === body}>
              {button}
            </Button>
          )}
        </section>
        <section aria-labelledby="tool-result">
          <Title order={2} id="tool-result" mb="sm">
            Result
          </Title>
          <ResultPane tool={tool} state={state} response={response} button={button} />
          <VisuallyHidden role="status">{statusText(state, response !== null)}</VisuallyHidden>
        </section>
      </div>
      <ApiCall tool={tool} {...shown} response={response} took={state.took} apiUrl={apiUrl} />
    </>
  );
}

/** The body for which the user pressed the button, null if it has changed since, and the first run for that body. */
type RequestedRun = { run: number; body: Uint8Array | null; firstRun: number };

function useRequestedRun(body: Uint8Array): [RequestedRun, () => void] {
  const [requested, setRequested] = useState<RequestedRun>({ run: 0, body: null, firstRun: 0 });
  const requestRun = () =>
    setRequested(({ run, body: last, firstRun }) => ({
      run: run + 1,
      body,
      firstRun: last === body ? firstRun : run + 1,
    }));
  const isCurrent = requested.body === null || requested.body === body;
  return [isCurrent ? requested : { ...requested, body: null }, requestRun];
}

/** Every change runs the tool to validate the input, but only a run after the button was pressed is shown. */
const isRequested = (requested: RequestedRun, state: ResponseState): boolean =>
  requested.body !== null && state.body === requested.body && state.run >= requested.firstRun;

type Problem = { detail: string; errors: FieldError[] };

function readProblem({ response }: ResponseState): Problem | null {
  if (response === null || response.status === 200) return null;
  const { detail, errors = [] } = JSON.parse(response.body) as Partial<Problem>;
  return { detail: detail ?? "", errors };
}

/** The error of a field. A tool that accepts any JSON has one field, which gets every error. */
function errorAt(problem: Problem | null, pointer: string): string | undefined {
  if (problem === null) return undefined;
  if (pointer === "") return problem.detail;
  return problem.errors.find((error) => error.pointer === pointer)?.detail;
}

/** Short and rarely changing, because screen readers announce every change. */
function statusText({ response, slow, error }: ResponseState, shown: boolean): string {
  if (error !== null) return "The tool could not run.";
  if (slow) return "Working.";
  if (response !== null && response.status !== 200) return "The input was rejected.";
  return shown ? "The result is up to date." : "";
}

function Examples({
  tool,
  onChoose,
}: {
  tool: Tool<unknown>;
  onChoose(values: FieldValues): void;
}) {
  return (
    <Group gap="xs" mb="lg" role="group" aria-label="Examples">
      <Text size="sm" c="dimmed">
        Examples:
      </Text>
      {examplesOf(tool).map(({ name, request }) => (
        <Button
          key={name}
          variant="default"
          size="compact-sm"
          className="tool-example"
          onClick={() => onChoose(valuesFor(tool, request))}
        >
          {capitalized(name)}
        </Button>
      ))}
    </Group>
  );
}

/** Without those that use a field that the form leaves out. */
const examplesOf = ({ examples, page }: Tool<unknown>) =>
  examples.filter(
    ({ request }) =>
      typeof request !== "object" ||
      !Object.keys(request ?? {}).some((name) => page?.controls?.[name] === "none"),
  );

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
