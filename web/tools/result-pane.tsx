import { Text } from "@mantine/core";
import { memo, useEffect, useState } from "react";
import { mediaType } from "#tools/media-type.ts";
import { base } from "../addresses.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { Message } from "../parts/message.tsx";
import { Prose } from "../parts/prose.tsx";
import type { Inputs } from "./call-plan.ts";
import { ResponseDownload, typeOf } from "./response-panel.tsx";
import type { ToolView } from "./tool-view.ts";
import type { ResponseState, ShownResponse } from "./use-response.ts";

/** The result for the inputs, or an error. */
export const ResultPane = memo(function ResultPane({
  view,
  inputs,
  state,
  empty,
  isOld,
  mayRun,
}: {
  view: ToolView;
  inputs: Inputs;
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
      {slow && <Text c="dimmed">Working…</Text>}
      {error !== null && (
        <Message tone="bad" title="No response.">
          {error.message}
        </Message>
      )}
      {response === null && error === null && !slow && empty !== "" && (
        <p className="play-empty">{empty}</p>
      )}
      {response !== null && error === null && (
        <div data-response data-old={isOld || slow || undefined}>
          <Response response={response} view={view} />
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
}: {
  response: ShownResponse;
  view: ToolView;
}) {
  const View = view.default ?? PlainResult;
  const problem = problemIn(response);
  return response.status === 200 ? (
    <View response={response} />
  ) : (
    <ProblemMessage response={response} problem={problem} />
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

function ProblemMessage({
  response: { status, source },
  problem,
}: {
  response: ShownResponse;
  problem: Problem | null;
}) {
  const { title, detail, code } = problem ?? {};
  return (
    <Message tone="bad" title={`${title ?? `Status ${status}`}.`}>
      <Prose text={detail ?? "The response is not one of the API. See it below."} />
      {code !== undefined && (
        <Text size="sm" mt={4}>
          {source === "browser"
            ? `The API responds with status ${status} and charges nothing. `
            : ""}
          Error code: <a href={`${base()}/docs/errors#${code}`}>{code}</a>
        </Text>
      )}
    </Message>
  );
}

/** The result of a tool without a view: each field of the response under its name. An own tool may respond with anything. */
function PlainResult({ response }: { response: ShownResponse }) {
  const { body, isText } = response;
  const type = mediaType(typeOf(response));
  if (!isText || type.startsWith("image/")) return <FileResult response={response} />;
  const fields = fieldsIn(body);
  if (fields === undefined) return <CodeBlock label="Response" code={body} />;
  return Object.entries(fields).map(([name, value]) => (
    <CodeBlock
      key={name}
      label={name}
      code={typeof value === "string" ? value : JSON.stringify(value, null, 2)}
    />
  ));
}

/** An image, or another file to save. */
function FileResult({ response }: { response: ShownResponse }) {
  const { body, bytes } = response;
  const type = mediaType(typeOf(response));
  const content = bytes ?? body;
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([content], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  return (
    <div className="play-card">
      <div className="play-card-head">
        <span>{type}</span>
        <ResponseDownload response={response} />
      </div>
      {type.startsWith("image/") && url !== undefined && (
        <img className="play-image" src={url} alt="The response" />
      )}
    </div>
  );
}

/** Undefined for what has none to show. */
function fieldsIn(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const { ok: _, ...fields } = value as Record<string, unknown>;
    return Object.keys(fields).length === 0 ? undefined : fields;
  } catch {
    return undefined;
  }
}
