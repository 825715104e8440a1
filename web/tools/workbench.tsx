import { Button, Group, Text, Title, VisuallyHidden } from "@mantine/core";
import { useMemo, useState } from "react";
import type { FieldError } from "#errors.ts";
import type { Tool } from "#tools/define-tool.ts";
import { addressOf } from "../base.ts";
import { useVisitor } from "../queries.ts";
import { CallShown } from "./call-shown.tsx";
import { requestText } from "./request-text.ts";
import { ResultPane } from "./result-pane.tsx";
import { type FieldValues, fieldsOf, startValues, valuesFor } from "./tool-fields.ts";
import { ToolForm } from "./tool-form.tsx";
import { type ResponseState, useResponse } from "./use-response.ts";

/** A request id is the service's to give; this one says to whoever reads it that there was no request. */
const REQUEST_ID = "in-your-browser";

/** The form of a tool, its result, the answer of the API and the same call for a shell. */
export function Workbench({ tool }: { tool: Tool<unknown> }) {
  const button = tool.page?.button;
  const fields = useMemo(() => fieldsOf(tool), [tool]);
  const [values, setValues] = useState<FieldValues>(() => startValues(tool));
  const body = useMemo(
    () => new TextEncoder().encode(requestText(tool, fields, values)),
    [tool, fields, values],
  );
  const apiUrl = useVisitor().data?.apiUrl ?? addressOf("");
  const [asked, ask] = useAsked(body);
  const state = useResponse(tool, body, { apiUrl, requestId: REQUEST_ID }, asked.again);
  const refused = state.response !== null && state.response.status !== 200;
  const response = refused || button === undefined || isFor(asked, state) ? state.response : null;
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
            <Button mt="lg" onClick={ask} disabled={refused && state.body === body}>
              {button}
            </Button>
          )}
        </section>
        <section aria-labelledby="tool-result">
          <Title order={2} id="tool-result" mb="sm">
            Result
          </Title>
          <ResultPane tool={tool} state={state} response={response} button={button} />
          <VisuallyHidden role="status">{news(state, response !== null)}</VisuallyHidden>
        </section>
      </div>
      <CallShown tool={tool} body={body} response={response} took={state.took} apiUrl={apiUrl} />
    </>
  );
}

/** Which body was last asked to be answered on the button, and since which round of answers. */
type Asked = { again: number; body: Uint8Array | null; first: number };

function useAsked(body: Uint8Array): [Asked, () => void] {
  const [asked, setAsked] = useState<Asked>({ again: 0, body: null, first: 0 });
  const ask = () =>
    setAsked(({ again, body: last, first }) => ({
      again: again + 1,
      body,
      first: last === body ? first : again + 1,
    }));
  return [asked.body === null || asked.body === body ? asked : { ...asked, body: null }, ask];
}

/** What was made to check the input is not shown: only what was made after the button was pressed. */
const isFor = (asked: Asked, state: ResponseState): boolean =>
  asked.body !== null && state.body === asked.body && state.again >= asked.first;

type Problem = { detail: string; errors: FieldError[] };

function readProblem({ response }: ResponseState): Problem | null {
  if (response === null || response.status === 200) return null;
  const { detail, errors = [] } = JSON.parse(response.body) as Partial<Problem>;
  return { detail: detail ?? "", errors };
}

/** A tool that takes any JSON has one field, and whatever is wrong is wrong there. */
function errorAt(problem: Problem | null, pointer: string): string | undefined {
  if (problem === null) return undefined;
  if (pointer === "") return problem.detail;
  return problem.errors.find((error) => error.pointer === pointer)?.detail;
}

/** Few words that change seldom: they are read aloud at every change. */
function news({ response, slow, error }: ResponseState, shown: boolean): string {
  if (error !== null) return "The result could not be made.";
  if (slow) return "Working.";
  if (response !== null && response.status !== 200) return "The input is refused.";
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
      {tool.examples.map(({ name, request }) => (
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

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
