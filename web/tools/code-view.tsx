import { memo, type ReactNode } from "react";
import { formatNumber } from "../parts/numbers.ts";
import { highlight, type Syntax } from "./highlight.tsx";
import { CopyButton } from "./ui.tsx";

/** Browsers become slow when they lay out more text. */
export const SHOWN_CHARS_MAX = 20_000;

/** Code of any length. Only the beginning is shown, but all of it is copied. `children` are beside the copy button. */
export const CodeView = memo(function CodeView({
  code,
  label,
  shown = code,
  syntax = "none",
  children,
  tall = false,
}: {
  code: string;
  label: string;
  /** What is shown in place of the code, such as the same laid out for reading. */
  shown?: string;
  syntax?: Syntax;
  children?: ReactNode;
  tall?: boolean;
}) {
  const beginning = beginningOf(shown);
  return (
    <figure className="play-code" aria-label={label} data-tall={tall || undefined}>
      <figcaption>
        <span>{label}</span>
        {children}
        <CopyButton copy={code} name={`Copy: ${label}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable by keyboard */}
      <pre tabIndex={0}>
        <code>{highlight(beginning, syntax)}</code>
      </pre>
      {beginning !== shown && (
        <p className="play-cut">
          Showing the first {formatNumber(beginning.length)} of {formatNumber(code.length)}{" "}
          characters. Copy takes all of them.
        </p>
      )}
    </figure>
  );
});

/** The beginning of a text, not cut within a surrogate pair. */
export const beginningOf = (text: string, charsMax = SHOWN_CHARS_MAX): string =>
  text.length <= charsMax ? text : text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, "");
