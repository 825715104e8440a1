import { CloseButton, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Dialog } from "../frame/dialog.tsx";

/**
 * A modal dialog with a heading and a close button. The focus goes to the element marked `data-autofocus`. After closing,
 * it returns to the element that opened the dialog, or else to the heading of the page.
 */
export function TitledDialog(props: {
  title: string;
  wide?: boolean;
  /** Whether it is a panel at the right edge, as high as the window. */
  side?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const body = useRef<HTMLDivElement>(null);
  const [opener] = useState(() => document.activeElement);
  useEffect(() => {
    body.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    return () => {
      // Runs after the dialog is removed. If other code moved the focus in the meantime, it stays there.
      setTimeout(() => {
        const isLost = document.activeElement === document.body || document.activeElement === null;
        if (!isLost) return;
        const heading = document.querySelector<HTMLElement>("main h1");
        // The opener may be removed, like the row of a revoked key. It may also never have had the focus: Safari does
        // not focus a clicked button.
        if (opener instanceof HTMLElement && opener !== document.body && opener.isConnected) {
          opener.focus();
        } else heading?.focus();
      });
    };
  }, [opener]);
  return (
    <Dialog
      label={props.title}
      className={props.side === true ? "tb-titled tb-titled-side" : "tb-titled"}
      onClose={props.onClose}
    >
      <div ref={body} className="tb-titled-body" data-wide={props.wide === true}>
        <div className="tb-titled-head">
          <Title order={2}>{props.title}</Title>
          <CloseButton aria-label="Close" size="lg" onClick={props.onClose} />
        </div>
        {props.children}
      </div>
    </Dialog>
  );
}
