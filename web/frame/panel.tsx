import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useId, useRef } from "react";

/** A button of the header and what it opens below it. The browser closes it on Escape and on a click beside it. */
export function Panel({
  label,
  button,
  children,
}: {
  /** What the button is called: its content is a drawing. */
  label: string;
  button: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const router = useRouter();
  // Whoever has gone elsewhere has no more use for it.
  useEffect(
    () => router.subscribe("onBeforeNavigate", () => panel.current?.hidePopover()),
    [router],
  );
  return (
    <>
      <button type="button" popoverTarget={id} aria-label={label} className="tb-header-button">
        {button}
      </button>
      <div ref={panel} id={id} popover="auto" className="tb-panel">
        {children}
      </div>
    </>
  );
}
