import { CloseButton, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { Dialog } from "../frame/dialog.tsx";

/**
 * A modal dialog with a heading and a close button. The focus goes to the element marked `data-autofocus`. After closing,
 * the browser returns it to the element that opened the dialog; if that is gone, it goes to the heading of the page.
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
  useEffect(() => {
    body.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    return () => {
      // Later, because what opened the dialog, like the row of a revoked key, may be removed with it.
      setTimeout(() => {
        const isLost = document.activeElement === document.body || document.activeElement === null;
        if (isLost) document.querySelector<HTMLElement>("main h1")?.focus();
      });
    };
  }, []);
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
