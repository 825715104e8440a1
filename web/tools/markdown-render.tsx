import { Stack, Text, useComputedColorScheme } from "@mantine/core";
import { useMemo } from "react";
import { DownloadButton } from "./download-button.tsx";
import { LongCode } from "./long-code.tsx";
import type { ResultProps } from "./plain-result.tsx";
import { previewPage } from "./preview-page.ts";

export default function MarkdownResult({ response }: ResultProps) {
  const scheme = useComputedColorScheme("light");
  const { html, text } = useMemo(
    () => JSON.parse(response) as { html: string; text?: string },
    [response],
  );
  const preview = useMemo(() => previewPage(html, scheme), [html, scheme]);
  return (
    <Stack gap="md">
      <div>
        <iframe
          className="tool-preview"
          title="Rendered Markdown"
          sandbox=""
          // React would turn it into a text, which Trusted Types do not accept here.
          ref={(frame) => {
            if (frame !== null) frame.srcdoc = preview.page;
          }}
        />
        <Text size="sm" c="dimmed">
          Links do not open in this preview.
          {preview.images > 0 && " Images are not loaded, to protect your privacy."}
        </Text>
      </div>
      <LongCode code={html} label="HTML">
        <DownloadButton content={html} type="text/html" file="rendered.html" plain />
      </LongCode>
      {text === undefined ? (
        <Text size="sm" c="dimmed">
          To get plain text as well, set <code className="tool-word">format</code> to{" "}
          <code className="tool-word">text</code>.
        </Text>
      ) : (
        <LongCode code={text} label="Plain text">
          <DownloadButton content={text} type="text/plain" file="rendered.txt" plain />
        </LongCode>
      )}
    </Stack>
  );
}
