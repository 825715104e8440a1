import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "../parts/code-block.tsx";
import { formatNumber } from "../parts/numbers.ts";

/** Browsers become slow when they lay out more text. */
const SHOWN_CHARS_MAX = 20_000;

/** Code of any length. Only the beginning is shown, but all of it is copied. `children` are beside the copy button. */
export function LongCode({
  code,
  label,
  children,
}: {
  code: string;
  label: string;
  children?: ReactNode;
}) {
  const shown = code.length > SHOWN_CHARS_MAX ? beginningOf(code) : code;
  return (
    <figure className="tb-code" aria-label={label}>
      <figcaption>
        <span>{label}</span>
        {children}
        <CopyButton text={code} label={`Copy: ${label}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable by keyboard */}
      <pre tabIndex={0} className="tool-code">
        <code>{shown}</code>
      </pre>
      {shown !== code && (
        <Text size="sm" c="dimmed" px="sm" py="xs">
          Showing the first {formatNumber(shown.length)} of {formatNumber(code.length)} characters.
          Copy takes all of them.
        </Text>
      )}
    </figure>
  );
}

/** The beginning of a text, not cut within a surrogate pair. */
export const beginningOf = (text: string, charsMax = SHOWN_CHARS_MAX): string =>
  text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, "");
