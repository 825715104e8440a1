import { memo } from "react";
import { Prose } from "../parts/prose.tsx";
import type { Inputs } from "./call-plan.ts";
import { CodeView } from "./code-view.tsx";
import type { ToolView } from "./tool-view.ts";
import { Callout } from "./ui.tsx";
import type { ResponseState, ShownResponse } from "./use-response.ts";

/** The result for the inputs, or an error. */
export const ResultPane = memo(function ResultPane({
  view,
  inputs,
  base,
  state,
  empty,
  isOld,
  mayRun,
}: {
  view: ToolView;
  inputs: Inputs;
  base: string;
  state: ResponseState;
  /** What to do to get a result. */
  empty: string;
  /** The inputs have changed since the response. */
  isOld: boolean;
  mayRun: boolean;
}) {
  const { response, error, slow } = state;
  return (
    <div className="play-result">
      {slow && <p className="play-working">Working…</p>}
      {error !== null && (
        <Callout tone="bad" title="No response">
          <p>{error.message}</p>
        </Callout>
      )}
      {response === null && error === null && !slow && empty !== "" && (
        <p className="play-empty">{empty}</p>
      )}
      {response !== null && error === null && (
        <div data-old={isOld || slow || undefined}>
          <Response response={response} view={view} base={base} />
        </div>
      )}
      {view.Beside !== undefined && (
        <view.Beside inputs={inputs} response={response} mayRun={mayRun} />
      )}
    </div>
  );
});

const Response = memo(function Response({
  response,
  view,
  base,
}: {
  response: ShownResponse;
  view: ToolView;
  base: string;
}) {
  const View = view.default ?? PlainResult;
  const problem = problemIn(response);
  return response.status === 200 ? (
    <View response={response} />
  ) : (
    <ProblemCallout response={response} problem={problem} base={base} />
  );
});

export type Problem = {
  title?: string;
  detail?: string;
  code?: string;
  errors?: { pointer?: string; parameter?: string; detail: string }[];
};

/** The error of a response. What answers in place of the API, such as a proxy, may send anything. */
export function problemIn({ status, body }: ShownResponse): Problem | null {
  if (status === 200) return null;
  try {
    const problem: unknown = JSON.parse(body);
    return typeof problem === "object" && problem !== null ? problem : {};
  } catch {
    return {};
  }
}

function ProblemCallout({
  response: { status, source },
  problem,
  base,
}: {
  response: ShownResponse;
  problem: Problem | null;
  base: string;
}) {
  const { title, detail, code } = problem ?? {};
  return (
    <Callout tone="bad" title={title ?? `Status ${status}`}>
      <p>
        <Prose text={detail ?? "The response is not one of the API. See it below."} />
      </p>
      {code !== undefined && (
        <p className="play-help">
          {source === "browser"
            ? `The API responds with status ${status} and charges nothing. `
            : ""}
          Error code: <a href={`${base}/docs/errors#${code}`}>{code}</a>
        </p>
      )}
    </Callout>
  );
}

/** The result of a tool without a view: each field of the response under its name. */
function PlainResult({ response }: { response: ShownResponse }) {
  const { ok: _, ...fields } = JSON.parse(response.body) as Record<string, unknown>;
  return Object.entries(fields).map(([name, value]) => (
    <CodeView
      key={name}
      label={name}
      code={typeof value === "string" ? value : JSON.stringify(value, null, 2)}
    />
  ));
}
