import { type ReactNode, useEffect, useRef } from "react";

/**
 * The browser's own modal dialog: it keeps the focus inside, gives it back afterwards, and closes with Escape.
 * Without `onClose` it stays.
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
  useEffect(() => {
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
        // A second Escape would close it whatever `cancel` says.
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
