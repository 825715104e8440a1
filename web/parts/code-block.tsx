import { Button, VisuallyHidden } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { writeClipboard } from "./clipboard.ts";

export type Language = "shell" | "javascript" | "python" | "json" | "html" | "text";

/**
 * Code to read and copy. Long lines wrap, so nothing scrolls sideways and the block needs no focus of its own.
 * `label` names the code for the copy button and for screen readers.
 */
export function CodeBlock({
  code,
  language,
  label,
}: {
  code: string;
  language: Language;
  label: string;
}) {
  return (
    <figure className="tb-code" aria-label={label}>
      <figcaption>
        <span>{label}</span>
        <CopyButton text={code} label={`Copy: ${label}`} />
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

/** Copies `text`; `label` says what it is, such as `Copy the key`. */
export function CopyButton({ text, label }: { text: string; label: string }) {
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
        {LABELS[state]}
      </Button>
      <VisuallyHidden role="status">{state === "idle" ? "" : LABELS[state]}</VisuallyHidden>
    </>
  );
}
