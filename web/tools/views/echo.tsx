import { Text } from "@mantine/core";
import { counted } from "#counted.ts";
import { CodeBlock, SHOWN_CHARS_MAX } from "../../parts/code-block.tsx";
import { layOutJsonText } from "../pretty-json.ts";
import type { ResultProps } from "../tool-view.ts";

const BODY_MEMBER = '"body":';

/** What was sent, and what came back of it. */
export default function EchoResult({ response }: ResultProps) {
  const { body, call } = response;
  const { receivedAt } = JSON.parse(body) as { receivedAt: string };
  // Cut out of the text: parsing would lose numbers beyond a double and the order of keys.
  const received = body.slice(body.indexOf(BODY_MEMBER) + BODY_MEMBER.length, -1);
  const size = call.body.byteLength;
  const sent = [
    "POST /api/v1/echo",
    ...(size > 0 ? [`Content-Type: ${call.contentType}`] : []),
    `Content-Length: ${size}`,
    "",
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      call.body.subarray(0, 4 * SHOWN_CHARS_MAX),
    ),
  ].join("\n");
  return (
    <>
      <CodeBlock code={sent.trimEnd()} label={`Sent, ${counted(size, "byte")} of body`} scrolls />
      <CodeBlock
        code={received}
        shown={layOutJsonText(received, SHOWN_CHARS_MAX)}
        label="Received"
        syntax="json"
        scrolls
      />
      <Text size="sm" c="dimmed">
        Received at <time dateTime={receivedAt}>{receivedAt}</time> (UTC). Copy takes the body
        exactly as it was sent.
      </Text>
    </>
  );
}
