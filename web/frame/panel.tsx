import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useId, useRef } from "react";

/** A header button that opens a popover. The browser closes it on Escape and on a click outside. */
export function Panel({
  label,
  button,
  children,
}: {
  /** The accessible name of the button, whose content is an icon. */
  label: string;
  button: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const router = useRouter();

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
