import { Anchor, Text, Title } from "@mantine/core";
import type { Tool } from "#tools/define-tool.ts";
import { base } from "../addresses.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { counted } from "../parts/numbers.ts";
import { curlCall, INPUT_FILE } from "./curl-call.ts";
import { DownloadButton } from "./download-button.tsx";
import { LongCode } from "./long-code.tsx";
import { SECRET_PLACEHOLDER } from "./request-text.ts";
import type { CallResponse } from "./respond-to-call.ts";

/** The equivalent API call: the curl command, and the response of the API to this input. */
export function ApiCall({
  tool,
  body,
  hasSecret,
  response,
  took,
  apiUrl,
}: {
  tool: Tool<unknown>;
  /** With a placeholder for a secret. */
  body: Uint8Array;
  hasSecret: boolean;
  response: CallResponse | null;
  took: number;
  apiUrl: string;
}) {
  const { code, needsFile } = curlCall(`${apiUrl}/api/v1/${tool.name}`, body);
  return (
    <section className="tool-call" aria-labelledby="tool-call">
      <Title order={2} id="tool-call">
        Call the API
      </Title>
      <div className="tool-call-blocks">
        <div>
          <CodeBlock code={code} language="shell" label="curl" />
          <Text size="sm" c="dimmed" mt="xs">
            For a Linux or macOS shell, with your API key in{" "}
            <code className="tool-word">TOOLBOOTH_KEY</code>.{" "}
            <Anchor href={`${base()}/docs/${tool.name}`} inherit underline="always">
              Documentation of {tool.name}
            </Anchor>
          </Text>
          {hasSecret && (
            <Text size="sm" c="dimmed">
              Replace <code className="tool-word">{SECRET_PLACEHOLDER}</code>: your key is left out,
              so that it does not end up in your shell’s history.
            </Text>
          )}
          {needsFile && (
            <div className="tool-file-needed">
              <Text size="sm">
                The input is long, so curl reads it from the file{" "}
                <code className="tool-word">{INPUT_FILE}</code>.
              </Text>
              <DownloadButton content={body} type="application/json" file={INPUT_FILE} />
            </div>
          )}
        </div>
        {response !== null && (
          <div>
            <LongCode code={response.body} label={`Response, status ${response.status}`}>
              <DownloadButton
                content={response.body}
                type="application/json"
                file="response.json"
                plain
              />
            </LongCode>
            <Text size="sm" c="dimmed" mt="xs">
              {counted(new TextEncoder().encode(response.body).byteLength, "byte")}, exactly as the
              API would send it
              {response.status === 200 ? "" : ", except for requestId"}. Computed in your browser in{" "}
              {milliseconds(took)}.
            </Text>
          </div>
        )}
      </div>
    </section>
  );
}

const milliseconds = (took: number): string => (took < 1 ? "under 1 ms" : `${Math.round(took)} ms`);
