import { Text } from "@mantine/core";
import type { ComponentType } from "react";
import { CopyButton } from "../parts/code-block.tsx";
import { counted } from "../parts/numbers.ts";
import { DownloadButton } from "./download-button.tsx";
import { LongCode } from "./long-code.tsx";
import { MarkdownResult } from "./markdown-render.tsx";
import { QrResult } from "./qr-code.tsx";

/** An answer of status 200 as a person wants to see it. `answer` is its JSON text. */
export type ResultProps = { response: string };

export function HashResult({ response }: ResultProps) {
  const { algorithm, hash, length } = JSON.parse(response) as HashResponse;
  return (
    <div className="tool-card">
      <Text size="sm" c="dimmed">
        {algorithm}, {length} hex digits
      </Text>
      <p className="tool-hash">{hash}</p>
      <CopyButton text={hash} label="Copy the hash" />
    </div>
  );
}

type HashResponse = { algorithm: string; hash: string; length: number };

export function UuidResult({ response }: ResultProps) {
  const { uuids } = JSON.parse(response) as { uuids: string[] };
  const lines = uuids.join("\n");
  return (
    <LongCode code={lines} label={counted(uuids.length, "UUID")}>
      <DownloadButton content={`${lines}\n`} type="text/plain" file="uuids.txt" plain />
    </LongCode>
  );
}

/** Not out of the parsed answer: numbers beyond a double and the order of keys would not survive that. */
export function EchoResult({ response }: ResultProps) {
  const { receivedAt } = JSON.parse(response) as { receivedAt: string };
  const body = response.slice(response.indexOf(BODY) + BODY.length, -1);
  return (
    <div>
      <Text size="sm" c="dimmed" mb="xs">
        Received at <time dateTime={receivedAt}>{receivedAt}</time> (UTC)
      </Text>
      <LongCode code={body} label="The body, letter for letter" />
    </div>
  );
}

const BODY = '"body":';

export const RESULTS: Record<string, ComponentType<ResultProps>> = {
  "markdown-render": MarkdownResult,
  "qr-code": QrResult,
  hash: HashResult,
  uuid: UuidResult,
  echo: EchoResult,
};
