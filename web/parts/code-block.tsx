import { Button, VisuallyHidden } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

export type Language = "shell" | "javascript" | "python" | "go" | "php" | "json" | "html" | "text";

/**
 * Code to read and copy. Long lines wrap, so nothing scrolls sideways and the block needs no focus of its own.
 * `label` names the code for the copy button and for screen readers.
 */
export function CodeBlock({
  code,
  language,
  label,
  isCopyable = true,
}: {
  code: string;
  language: Language;
  label: string;
  /** False for code that would not work yet. */
  isCopyable?: boolean;
}) {
  return (
    <figure className="tb-code" aria-label={label}>
      <figcaption>
        <span>{label}</span>
        {isCopyable && <CopyButton text={code} label={`Copy: ${label}`} />}
      </figcaption>
      <pre>
        <code data-language={language}>{code}</code>
      </pre>
    </figure>
  );
}

type State = "idle" | "copied" | "failed";
const SHOWN_FOR_MS = 2_000;
const LABELS: Record<State, string> = {
  idle: "Copy",
  copied: "Copied",
  failed: "Copying failed: select the text instead",
};

/** Copies `text`; `label` says what it is, such as `Copy the key`. `title` is the text of the button. */
export function CopyButton({
  text,
  label,
  title = LABELS.idle,
}: {
  text: string;
  label: string;
  title?: string;
}) {
  const [state, setState] = useState<State>("idle");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  async function copy() {
    clearTimeout(timer.current);
    const isCopied = await writeClipboard(text);
    setState(isCopied ? "copied" : "failed");
    timer.current = setTimeout(() => setState("idle"), SHOWN_FOR_MS);
  }
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        className="tb-copy"
        aria-label={label}
        onClick={() => void copy()}
      >
        {state === "idle" ? title : LABELS[state]}
      </Button>
      <VisuallyHidden role="status">{state === "idle" ? "" : LABELS[state]}</VisuallyHidden>
    </>
  );
}

/** The clipboard API exists only over HTTPS and on localhost; `execCommand` works elsewhere too. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const opener = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.style.position = "fixed";
  field.style.opacity = "0";
  // An open dialog does not let the focus leave it.
  const parent = opener?.closest("[role=dialog]") ?? document.body;
  parent.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (opener instanceof HTMLElement) opener.focus();
  }
}
