import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "../parts/code-block.tsx";
import { formatNumber } from "../parts/numbers.ts";

/** More than this nobody reads on a page, and browsers become slow. */
const SHOWN_CHARS_MAX = 20_000;

/** Code of any length: its beginning is shown, and all of it is copied. `children` stand beside the copy button. */
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="tool-code">
        <code>{shown}</code>
      </pre>
      {shown !== code && (
        <Text size="sm" c="dimmed" px="sm" py="xs">
          The first {formatNumber(shown.length)} of {formatNumber(code.length)} characters are
          shown. Copying takes them all.
        </Text>
      )}
    </figure>
  );
}

/** Not cut within a surrogate pair. */
export const beginningOf = (text: string, charsMax = SHOWN_CHARS_MAX): string =>
  text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, "");
