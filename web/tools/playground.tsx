import { Button, Text, Title, VisuallyHidden } from "@mantine/core";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { counted } from "#counted.ts";
import type { Tool } from "#tools/define-tool.ts";
import { base } from "../addresses.ts";
import { service } from "../page-facts.ts";
import { writeClipboard } from "../parts/clipboard.ts";
import { DownloadButton } from "../parts/download.tsx";
import { Icon } from "../parts/icon.tsx";
import { LanguageTabs, useLanguage } from "../parts/language-tabs.tsx";
import { Message } from "../parts/message.tsx";
import { Prose } from "../parts/prose.tsx";
import { planCall, type ShownCall, showCall } from "./call-plan.ts";
import { DropZone } from "./drop-zone.tsx";
import { Fields } from "./fields.tsx";
import { FileContext } from "./file-context.ts";
import { fragmentOf } from "./input-link.ts";
import type { LoadedTool } from "./load-view.ts";
import "./playground.css";
import { SECRET_PLACEHOLDER } from "./request-text.ts";
import { ResponsePanel } from "./response-panel.tsx";
import { type Problem, problemIn, ResultPane } from "./result-pane.tsx";
import { RunBar, type Where } from "./run-bar.tsx";
import { keyFault } from "./send-call.ts";
import { type FieldValues, type ToolField, valuesFor } from "./tool-fields.ts";
import { useInputs } from "./use-inputs.ts";
import { type ResponseState, useApiResponse, useLocalResponse } from "./use-response.ts";

/** Shown in place of a request id, which only the service assigns. */
const REQUEST_ID = "in-your-browser";

/**
 * A tool to use, and the reference of its call: a form from the schema, the result, the response, and the call as code. `apiUrl`: the
 * address of the API in code. `ownPrice`: what a call costs the visitor's account, if that differs.
 */
export function Playground({
  tool,
  view,
  apiUrl,
  ownPrice = null,
}: LoadedTool & { apiUrl: string; ownPrice?: number | null }) {
  const { fields, inputs, origin, setInputs, setValues, files, accept } = useInputs(tool);
  const { values, file } = inputs;
  const [where, setWhere] = useState<Where>(tool.isOwn ? "api" : "browser");
  const [key, setKey] = useState("");
  const [keyError, setKeyError] = useState<string | null>(null);
  const [run, setRun] = useState(0);
  const call = useMemo(() => planCall(tool, fields, inputs), [tool, fields, inputs]);
  const shown = useMemo(
    () => showCall(tool, fields, inputs, `${apiUrl}/api/v1/${tool.name}`),
    [tool, fields, inputs, apiUrl],
  );

  // Inputs of a link never run by themselves: somebody else chose them.
  const live = where === "browser" && origin.kind !== "link";
  const local = useLocalResponse(
    tool,
    { call: where === "browser" ? call : null, run, live },
    { apiUrl, requestId: REQUEST_ID },
  );
  const api = useApiResponse();
  const state: ResponseState = where === "browser" ? local : api;
  const { response } = state;
  const isOld = response !== null && response.call !== call;
  const problem = useMemo(() => (response === null ? null : problemIn(response)), [response]);

  function start() {
    accept();
    if (where === "browser") return setRun((count) => count + 1);
    send(false);
  }

  function send(isQuote: boolean) {
    const fault = keyFault(key.trim());
    setKeyError(fault);
    if (fault === null && call !== null) {
      const { name, effect } = tool;
      api.send({ tool: name, effect, base: base(), key: key.trim(), call, isQuote });
    }
  }

  const place = useRef<HTMLDivElement>(null);
  useRunKey(place, start);
  const name = tool.name;
  return (
    <div className="play" ref={place}>
      <FileContext value={files}>
        <div className="play-bench" data-where={where}>
          <form
            aria-labelledby={`${name}-input`}
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              start();
            }}
          >
            <div className="play-heading">
              <Title order={2} id={`${name}-input`}>
                Input
              </Title>
              <CopyLinkButton fields={fields} values={values} hasFile={file !== null} />
              {view.fillsScreen === true && <ScreenButton place={place} />}
            </div>
            <OriginCallout origin={origin} />
            <Examples
              tool={tool}
              onChoose={(chosen) => setInputs({ values: chosen, file: null })}
            />
            {view.Helper !== undefined && <view.Helper values={values} onChange={setValues} />}
            {inGroups(fields).map((group, no) => (
              <div key={group[0]?.name} className="play-fields" data-options={no > 0 || undefined}>
                <Fields
                  fields={group}
                  values={values}
                  errorOf={(field) =>
                    isOld && where === "api" ? undefined : errorOf(problem, field)
                  }
                  onChange={(field, value) => setValues({ ...values, [field]: value })}
                />
              </div>
            ))}
            <RunBar
              tool={tool}
              ownPrice={ownPrice}
              where={where}
              onWhere={setWhere}
              apiKey={key}
              keyError={keyError}
              onKey={(next) => {
                setKey(next);
                setKeyError(null);
              }}
              quoted={api.quote !== null && api.quote.call === call ? api.quote.credits : null}
              onQuote={() => send(true)}
              isSending={api.sending}
              onCancel={api.cancel}
              isRunnable={call !== null}
            />
          </form>
          <section aria-labelledby={`${name}-result`}>
            <div className="play-heading">
              <Title order={2} id={`${name}-result`}>
                Result
              </Title>
            </div>
            <ResultPane
              view={view}
              inputs={inputs}
              state={state}
              empty={emptyText(where, origin.kind === "link", call === null, file?.size)}
              isOld={isOld && (where === "api" || origin.kind === "link")}
              mayRun={origin.kind !== "link"}
            />
            <VisuallyHidden role="status">{statusText(state)}</VisuallyHidden>
          </section>
        </div>
        <div className="play-bench play-call">
          <section aria-labelledby={`${name}-response`}>
            <div className="play-heading">
              <Title order={2} id={`${name}-response`}>
                Response
              </Title>
            </div>
            {response === null ? (
              <p className="play-empty">The response of the call is shown here.</p>
            ) : (
              <ResponsePanel response={response} />
            )}
          </section>
          <section aria-labelledby={`${name}-code`}>
            <div className="play-heading">
              <Title order={2} id={`${name}-code`}>
                Code
              </Title>
            </div>
            <Code shown={shown} />
          </section>
        </div>
        <DropZone
          label={
            files.mainField === undefined ? null : (view.dropLabel ?? "Drop the file to use it")
          }
          onDrop={files.choose}
        />
      </FileContext>
    </div>
  );
}

/** The call as code that can be pasted. */
function Code({ shown: { call, fileContent, hasSecret } }: { shown: ShownCall }) {
  const [language, setLanguage] = useLanguage();
  return (
    <div className="play-notes">
      <LanguageTabs
        call={{ ...call, variable: service().keyVariable }}
        language={language}
        onLanguage={setLanguage}
      />
      <Text size="sm" c="dimmed">
        Your API key is read from <code>{service().keyVariable}</code>.
      </Text>
      {hasSecret && (
        <Text size="sm" c="dimmed">
          Replace <code>{SECRET_PLACEHOLDER}</code>: your secret is left out, so that it does not
          end up in a shell’s history or in a repository.
        </Text>
      )}
      {fileContent !== null && (
        <Text size="sm" c="dimmed">
          The input is long, so the code reads it from <code>{fileContent.name}</code>.{" "}
          <DownloadButton content={fileContent.text} type="text/plain" file={fileContent.name} />
        </Text>
      )}
    </div>
  );
}

/** The input itself and its options. On a narrow screen the result is between them, because it changes while the input is typed. */
function inGroups(fields: readonly ToolField[]): ToolField[][] {
  const isInput = ({ kind, required }: ToolField) => required || kind === "text" || kind === "body";
  const inputs = fields.filter(isInput);
  const options = fields.filter((field) => !isInput(field));
  return [inputs, options].filter(({ length }) => length > 0);
}

/** Ctrl or Cmd with Enter runs the call from anywhere in the playground. */
function useRunKey(place: React.RefObject<HTMLElement | null>, start: () => void): void {
  const follow = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    start();
  });
  useEffect(() => {
    const element = place.current;
    element?.addEventListener("keydown", follow);
    return () => element?.removeEventListener("keydown", follow);
  }, [place]);
}

function OriginCallout({ origin }: { origin: ReturnType<typeof useInputs>["origin"] }) {
  if (origin.kind === "here") return null;
  return (
    <div role="status">
      {origin.kind === "link" ? (
        <Message tone="soft" title="These inputs come from a link.">
          Check them, then select Run.
        </Message>
      ) : (
        <Message tone="warn" title="The link could not be used.">
          {origin.fault}
        </Message>
      )}
    </div>
  );
}

/** The error at a field, or at a part of it. The field of the whole body gets every error. */
function errorOf(problem: Problem | null, { name, kind }: ToolField): string | undefined {
  if (problem === null) return undefined;
  if (kind === "body") return problem.detail;
  return problem.errors?.find(
    ({ pointer = "", parameter }) => `${pointer}/`.startsWith(`/${name}/`) || parameter === name,
  )?.detail;
}

function emptyText(
  where: Where,
  isLink: boolean,
  isTooLarge: boolean,
  size: number | undefined,
): string {
  if (isTooLarge) {
    return where === "browser"
      ? ""
      : `The file has ${counted(size ?? 0, "byte")}, more than the API takes. Your browser hashes files of any size.`;
  }
  if (where === "api") return "Select Send request to call the API.";
  return isLink ? "Select Run to see the result." : "";
}

/** Short and rarely changing, because screen readers announce every change. */
function statusText({ response, slow, error }: ResponseState): string {
  if (error !== null) return "There is no response.";
  if (slow) return "Working.";
  if (response === null) return "";
  return response.status === 200
    ? "The result is up to date."
    : `The call was rejected with status ${response.status}.`;
}

function CopyLinkButton({
  fields,
  values,
  hasFile,
}: {
  fields: readonly ToolField[];
  values: FieldValues;
  hasFile: boolean;
}) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  async function copy() {
    const fragment = hasFile ? null : fragmentOf(fields, values);
    if (fragment === null) {
      setSaid(hasFile ? "A link cannot hold a file." : "The input is too long for a link.");
      return;
    }
    const url = location.origin + location.pathname + location.search + fragment;
    const left = fields.some(({ kind, name }) => kind === "secret" && values[name]);
    const isCopied = await writeClipboard(url);
    if (!isCopied) setSaid("Copying failed.");
    else setSaid(left ? "Copied without the secret" : "Link copied");
  }
  return (
    <span className="play-copy-link">
      <Text component="span" size="sm" c="dimmed" role="status">
        {said}
      </Text>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Icon name="link" size={16} />}
        onClick={() => void copy()}
      >
        Copy link
      </Button>
    </span>
  );
}

const SAID_MS = 4_000;

/** Not shown where the browser has no full screen, as on iPhones. */
function ScreenButton({ place }: { place: React.RefObject<HTMLDivElement | null> }) {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const follow = () => setFull(document.fullscreenElement !== null);
    document.addEventListener("fullscreenchange", follow);
    return () => document.removeEventListener("fullscreenchange", follow);
  }, []);
  if (!document.fullscreenEnabled) return null;
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<Icon name={isFull ? "close" : "system"} size={16} />}
      onClick={() => void (isFull ? document.exitFullscreen() : place.current?.requestFullscreen())}
    >
      {isFull ? "Exit full screen" : "Full screen"}
    </Button>
  );
}

function Examples({
  tool,
  onChoose,
}: {
  tool: Tool<unknown>;
  onChoose(values: FieldValues): void;
}) {
  const examples = tool.examples.filter(({ request }) => isOfForm(tool, request));
  if (examples.length === 0) return null;
  return (
    <fieldset className="play-examples">
      <VisuallyHidden component="legend">Examples</VisuallyHidden>
      <span aria-hidden="true">Examples</span>
      {examples.map(({ name, request }) => (
        <Button
          key={name}
          variant="default"
          size="xs"
          onClick={() => onChoose(valuesFor(tool, request))}
        >
          <Prose text={name.charAt(0).toUpperCase() + name.slice(1)} />
        </Button>
      ))}
    </fieldset>
  );
}

/** Whether the form has every field of an example. */
const isOfForm = ({ page }: Tool<unknown>, request: unknown): boolean =>
  typeof request !== "object" ||
  !Object.keys(request ?? {}).some((name) => page?.controls?.[name] === "none");
