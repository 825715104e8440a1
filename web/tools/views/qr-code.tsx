import { Group } from "@mantine/core";
import { counted, formatNumber } from "#counted.ts";
import { CONTRAST_MIN, contrastOf } from "#tools/qr-code/colors.ts";
import { CopyButton } from "../../parts/code-block.tsx";
import { DownloadButton } from "../../parts/download.tsx";
import { Message } from "../../parts/message.tsx";
import { hexOf } from "../fields.tsx";
import type { BesideProps, ResultProps } from "../tool-view.ts";

type QrResponse = {
  format: "png" | "svg" | "utf8";
  errorCorrectionLevel: string;
  width: number;
  mimeType: string;
  output: string;
  invert?: boolean;
};

export { QrPayloadForms as Helper } from "../qr-payload-forms.tsx";
export const dropLabel = "Drop the file to encode its text";

export default function QrResult({ response }: ResultProps) {
  const code = JSON.parse(response.body) as QrResponse;
  const { format, output, mimeType, width } = code;
  return (
    <div className="play-card">
      <div className="play-card-head">
        <span>
          {format === "utf8" ? "Text" : format.toUpperCase()}, error correction{" "}
          {code.errorCorrectionLevel}
          {format === "utf8" ? "" : `, ${formatNumber(width)} pixels`}
        </span>
      </div>
      <QrPicture code={code} />
      <Group gap={8} mt={8}>
        <DownloadButton
          content={format === "png" ? pngBytes(output) : output}
          type={mimeType}
          file={FILES[format]}
        />
        {format !== "utf8" && canCopyImages() && (
          <CopyButton copy={() => copyImage(code)} title="Copy image" />
        )}
        <CopyButton copy={output} {...COPY[format]} />
      </Group>
    </div>
  );
}

const FILES = { png: "qr-code.png", svg: "qr-code.svg", utf8: "qr-code.txt" };
const COPY = {
  png: { title: "Copy data URL" },
  svg: { title: "Copy SVG" },
  utf8: { title: "Copy text" },
};

const pngBytes = (dataUrl: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(dataUrl.slice(dataUrl.indexOf(",") + 1)), (char) => char.charCodeAt(0));

/** Browsers offer it only over HTTPS and on localhost. */
const canCopyImages = (): boolean =>
  typeof ClipboardItem !== "undefined" && navigator.clipboard?.write !== undefined;

/** As a PNG, the one type that every clipboard takes. The promise goes to the clipboard itself: Safari asks for that. */
async function copyImage(code: QrResponse): Promise<boolean> {
  try {
    const png =
      code.format === "png"
        ? Promise.resolve(new Blob([pngBytes(code.output)], { type: "image/png" }))
        : drawPng(code);
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
    return true;
  } catch {
    return false;
  }
}

async function drawPng({ output, width }: QrResponse): Promise<Blob> {
  const image = new Image(width, width);
  image.src = sourceOf({ format: "svg", output });
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = width;
  canvas.getContext("2d")?.drawImage(image, 0, 0, width, width);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error("No image")) : resolve(blob))),
  );
}

const sourceOf = ({ format, output }: Pick<QrResponse, "format" | "output">): string =>
  format === "png" ? output : `data:image/svg+xml,${encodeURIComponent(output)}`;

/**
 * On white in both color schemes, because many scanners cannot read light codes on a dark background; on black what is made for
 * dark terminals, whose blocks are the light modules.
 */
function QrPicture({ code }: { code: QrResponse }) {
  const { format, output, width, invert } = code;
  if (format === "utf8") {
    const look = invert === true ? "play-qr-text play-qr-dark" : "play-qr-text";
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable by keyboard
      <pre className={look} role="img" aria-label={ALT} tabIndex={0}>
        {output}
      </pre>
    );
  }
  return <img className="play-qr" src={sourceOf(code)} alt={ALT} width={width} height={width} />;
}

const ALT = "QR code of the text";

/** What makes a code hard to read, though the API accepts it. */
export function Beside({ inputs: { values }, response }: BesideProps) {
  const warnings = response?.status === 200 ? warningsFor(values) : [];
  if (warnings.length === 0) return null;
  return (
    <Message tone="warn" title="Some scanners may not read this code.">
      {warnings.join(" ")}
    </Message>
  );
}

/** The contrast that even poor scanners read in poor light. */
const CONTRAST_GOOD = 70;
const MARGIN_GOOD = 4;

function warningsFor({ dark, light, margin, format }: BesideProps["inputs"]["values"]): string[] {
  const warnings: string[] = [];
  if (typeof margin === "number" && margin < MARGIN_GOOD) {
    warnings.push(
      `The margin is ${counted(margin, "module")}. Scanners expect ${MARGIN_GOOD}: put the code on a light background.`,
    );
  }
  if (format === "utf8") return warnings;
  const contrast = contrastOf(hexOf(String(dark)) ?? "#000000", hexOf(String(light)) ?? "#ffffff");
  if (contrast < CONTRAST_GOOD) {
    warnings.push(
      `The contrast of the colors is ${Math.floor(contrast)} %. The API needs ${CONTRAST_MIN} %; ${CONTRAST_GOOD} % is safe.`,
    );
  }
  if (String(light).toLowerCase() === "transparent") {
    warnings.push("The background is transparent: put the code on a light background.");
  }
  return warnings;
}
