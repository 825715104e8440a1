import { Tabs, Text } from "@mantine/core";
import { type ComponentProps, memo } from "react";
import { counted, formatNumber } from "#counted.ts";
import { isJsonType, mediaType } from "#tools/media-type.ts";
import { CodeBlock, SHOWN_CHARS_MAX } from "../parts/code-block.tsx";
import { DownloadButton } from "../parts/download.tsx";
import { Fact } from "../parts/section.tsx";
import { layOutJsonText } from "./pretty-json.ts";
import type { ShownResponse } from "./use-response.ts";

/** The headers that say what a call cost, how long it took, and how to name it to an operator. */
const KEY_HEADERS = ["Credits-Charged", "Credits-Remaining", "Server-Timing", "X-Request-Id"];

/** The response of a call: its status, its time, its body and its headers. */
export const ResponsePanel = memo(function ResponsePanel({
  response,
}: {
  response: ShownResponse;
}) {
  const { status, body, isText, headers, source } = response;
  const isJson = /^[\s]*[{["]/.test(body);
  const download = <ResponseDownload response={response} />;
  const codeOf = (
    label: string,
    more?: Pick<ComponentProps<typeof CodeBlock>, "shown" | "syntax">,
  ) =>
    isText ? (
      <CodeBlock code={body} label={label} scrolls {...more}>
        {download}
      </CodeBlock>
    ) : (
      <Text size="sm" c="dimmed">
        The response is not text, so it is not shown here. {download}
      </Text>
    );
  return (
    <>
      <StatusLine response={response} />
      <Tabs defaultValue="pretty" keepMounted={false}>
        <Tabs.List aria-label="Response">
          <Tabs.Tab value="pretty">Pretty</Tabs.Tab>
          <Tabs.Tab value="raw">Raw</Tabs.Tab>
          <Tabs.Tab value="headers">Headers</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="pretty" pt="sm">
          {codeOf(
            `Response, status ${status}`,
            isJson ? { shown: layOutJsonText(body, SHOWN_CHARS_MAX), syntax: "json" } : {},
          )}
        </Tabs.Panel>
        <Tabs.Panel value="raw" pt="sm">
          {codeOf(`Response, status ${status}, as sent`)}
        </Tabs.Panel>
        <Tabs.Panel value="headers" pt="sm">
          {source === "browser" ? (
            <Text size="sm" c="dimmed">
              The response was computed in your browser, so it has no headers. Run the call through
              the API to see them.
            </Text>
          ) : (
            <HeaderList headers={headers} />
          )}
        </Tabs.Panel>
      </Tabs>
    </>
  );
});

/** Saves the response, byte for byte, as a file of its type. */
export function ResponseDownload({ response }: { response: ShownResponse }) {
  const type = typeOf(response);
  const content = response.bytes ?? response.body;
  return <DownloadButton content={content} type={type} file={`response.${extensionOf(type)}`} />;
}

/** What the page computes is JSON. */
export const typeOf = (response: ShownResponse): string =>
  headerOf(response, "Content-Type") ?? "application/json";

/** `application/pdf` is `pdf`, and `image/svg+xml` is `svg`. */
const extensionOf = (type: string): string =>
  isJsonType(type)
    ? "json"
    : mediaType(type) === "text/plain"
      ? "txt"
      : (/\/([a-z0-9]+)(?:\+[a-z]+)?$/.exec(mediaType(type))?.[1] ?? "bin");

function StatusLine({ response }: { response: ShownResponse }) {
  const { status, source, tookMs, body } = response;
  const bytes = (response.bytes ?? new TextEncoder().encode(body)).byteLength;
  return (
    <div className="play-status-line">
      <p>
        <span className="play-status" data-tone={status < 400 ? "ok" : "bad"}>
          {status}
        </span>{" "}
        <span>{milliseconds(tookMs)}</span> <span>{counted(bytes, "byte")}</span>{" "}
        <span className="play-soft">
          {source === "browser"
            ? `Computed in your browser, byte for byte as the API sends it${status === 200 ? "" : ", except for requestId"}.`
            : "From the API."}
        </span>
      </p>
      {source === "api" && (
        <dl className="play-facts">
          {KEY_HEADERS.map((name) => [name, headerOf(response, name)] as const)
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => (
              <Fact key={name} name={name}>
                {value}
              </Fact>
            ))}
        </dl>
      )}
    </div>
  );
}

const HeaderList = ({ headers }: Pick<ShownResponse, "headers">) => (
  <dl className="play-headers">
    {headers.map(([name, value]) => (
      <Fact key={name} name={name}>
        {value}
      </Fact>
    ))}
  </dl>
);

const headerOf = ({ headers }: ShownResponse, name: string): string | undefined =>
  headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];

const milliseconds = (took: number): string =>
  took < 1 ? "under 1 ms" : `${formatNumber(Math.round(took))} ms`;
