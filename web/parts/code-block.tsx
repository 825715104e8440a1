import { Button, VisuallyHidden } from "@mantine/core";
import { memo, type ReactNode, useEffect, useRef, useState } from "react";
import { formatNumber } from "#counted.ts";
import { writeClipboard } from "./clipboard.ts";
import { highlight, type Syntax } from "./highlight.tsx";

/** Browsers become slow when they lay out more text. */
export const SHOWN_CHARS_MAX = 20_000;

/**
 * Code of any length, to read and copy. Only the beginning of a long text is shown, but all of it is copied. Long lines wrap, so
 * nothing scrolls sideways. `label` names the code for the copy button and for screen readers; `children` stand beside the button.
 */
export const CodeBlock = memo(function CodeBlock({
  code,
  label,
  shown = code,
  syntax = "none",
  isCopyable = true,
  scrolls = false,
  children,
}: {
  code: string;
  label: string;
  /** What is shown in place of the code, such as the same laid out for reading. */
  shown?: string;
  syntax?: Syntax;
  /** False for code that would not work yet. */
  isCopyable?: boolean;
  /** Whether a long text scrolls within the block. */
  scrolls?: boolean;
  children?: ReactNode;
}) {
  const beginning = beginningOf(shown);
  return (
    <figure className="tb-code" aria-label={label}>
      <figcaption>
        <span>{label}</span>
        {children}
        {isCopyable && <CopyButton copy={code} name={`Copy: ${label}`} />}
      </figcaption>
      {/* A scrollable area must be focusable by keyboard. */}
      <pre {...(scrolls && { tabIndex: 0, "data-scrolls": true })}>
        <code>{highlight(beginning, syntax)}</code>
      </pre>
      {beginning !== shown && (
        <p className="tb-code-cut">
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

const SHOWN_FOR_MS = 2_000;
const FAILED = "Copying failed: select the text instead";

/** Copies a text, or what `copy` copies, and says for a moment how it went. */
export function CopyButton({
  copy,
  name,
  title = "Copy",
}: {
  copy: string | (() => Promise<boolean>);
  /** The accessible name, such as `Copy the key`. It begins with the title. */
  name?: string;
  /** The text of the button. */
  title?: string;
}) {
  const [said, setSaid] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  async function act() {
    clearTimeout(timer.current);
    const isCopied = await (typeof copy === "string" ? writeClipboard(copy) : copy());
    setSaid(isCopied ? "Copied" : FAILED);
    timer.current = setTimeout(() => setSaid(""), SHOWN_FOR_MS);
  }
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        className="tb-copy"
        aria-label={name}
        onClick={() => void act()}
      >
        {said === "" ? title : said}
      </Button>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </>
  );
}
