import { Button, Group, Text } from "@mantine/core";
import { CopyButton } from "../parts/code-block.tsx";
import { formatNumber } from "../parts/numbers.ts";
import { DownloadButton } from "./download-button.tsx";
import type { ResultProps } from "./plain-result.tsx";

type QrResponse = {
  format: "png" | "svg" | "utf8";
  errorCorrectionLevel: string;
  width: number;
  mimeType: string;
  output: string;
};

export default function QrResult({ response }: ResultProps) {
  const code = JSON.parse(response) as QrResponse;
  const { format, output, mimeType } = code;
  return (
    <div className="tool-card">
      <QrPicture code={code} />
      <Text size="sm" c="dimmed">
        {format.toUpperCase()}, error correction {code.errorCorrectionLevel}
        {format === "utf8" ? "" : `, ${formatNumber(code.width)} pixels wide`}
      </Text>
      <Group gap="xs" mt="xs">
        {format === "png" ? (
          // The output is a data URL, which the browser can download directly.
          <Button
            component="a"
            href={output}
            download="qr-code.png"
            variant="default"
            size="xs"
            aria-label="Download qr-code.png"
          >
            Download
          </Button>
        ) : (
          <DownloadButton
            content={output}
            type={mimeType}
            file={format === "svg" ? "qr-code.svg" : "qr-code.txt"}
          />
        )}
        <CopyButton text={output} label={COPY[format]} />
      </Group>
    </div>
  );
}

const COPY = {
  png: "Copy the data URL",
  svg: "Copy the SVG markup",
  utf8: "Copy the block characters",
};

/** On white in both colour schemes, because many scanners cannot read light codes on a dark background. */
function QrPicture({ code: { format, output, width } }: { code: QrResponse }) {
  if (format === "utf8") {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable by keyboard
      <pre className="tool-qr-text" role="img" aria-label={ALT} tabIndex={0}>
        {output}
      </pre>
    );
  }
  const source = format === "png" ? output : `data:image/svg+xml,${encodeURIComponent(output)}`;
  return <img className="tool-qr" src={source} alt={ALT} width={width} height={width} />;
}

const ALT = "QR code of the text";
