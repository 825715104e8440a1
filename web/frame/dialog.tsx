import { type ReactNode, useLayoutEffect, useRef } from "react";
import "./dialog.css";

/**
 * The browser's native modal dialog: it traps the focus, restores it afterwards, and closes on Escape.
 * Without `onClose` it cannot be closed.
 */
export function Dialog({
  label,
  className,
  onClose,
  children,
}: {
  label: string;
  className: string;
  onClose?: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed before it is removed, or the browser would not give the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      className={className}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose?.();
      }}
      onKeyDown={(event) => {
        // Chromium closes the dialog on a second Escape even if `cancel` was prevented.
        if (event.key === "Escape") {
          event.preventDefault();
          onClose?.();
        }
      }}
    >
      {children}
    </dialog>
  );
}
