import { Button, VisuallyHidden } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

type State = "idle" | "copied" | "failed";
const SHOWN_FOR_MS = 2_000;
const WORDS: Record<State, string> = {
  idle: "Copy",
  copied: "Copied",
  failed: "Select and copy it by hand",
};

/** Copies `text`; `label` says what that is: `Copy the key`. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<State>("idle");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  async function copy() {
    clearTimeout(timer.current);
    const done = await writeClipboard(text);
    setState(done ? "copied" : "failed");
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
        {WORDS[state]}
      </Button>
      <VisuallyHidden role="status">{state === "idle" ? "" : WORDS[state]}</VisuallyHidden>
    </>
  );
}

/** The clipboard's own interface exists only over TLS and on this machine; the older way works elsewhere too. */
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
  // Inside an open dialog the focus may not leave it.
  const place = opener?.closest("[role=dialog]") ?? document.body;
  place.append(field);
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
