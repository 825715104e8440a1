import { Text } from "@mantine/core";
import type { ComponentType } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { counted } from "../parts/numbers.ts";
import { DownloadButton } from "./download-button.tsx";
import { LongCode } from "./long-code.tsx";
import { MarkdownResult } from "./markdown-render.tsx";
import { QrResult } from "./qr-code.tsx";

/** An answer of status 200 as a person wants to see it. `answer` is its JSON text. */
export type ResultProps = { answer: string };

export function HashResult({ answer }: ResultProps) {
  const { algorithm, hash, length } = JSON.parse(answer) as HashAnswer;
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

type HashAnswer = { algorithm: string; hash: string; length: number };

export function UuidResult({ answer }: ResultProps) {
  const { uuids } = JSON.parse(answer) as { uuids: string[] };
  const lines = uuids.join("\n");
  return (
    <LongCode code={lines} label={counted(uuids.length, "UUID")}>
      <DownloadButton content={`${lines}\n`} type="text/plain" file="uuids.txt" plain />
    </LongCode>
  );
}

/** Not out of the parsed answer: numbers beyond a double and the order of keys would not survive that. */
export function EchoResult({ answer }: ResultProps) {
  const { receivedAt } = JSON.parse(answer) as { receivedAt: string };
  const body = answer.slice(answer.indexOf(BODY) + BODY.length, -1);
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
