import { CloseButton, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Dialog } from "../frame/dialog.tsx";
import "./titled-dialog.css";

/**
 * A modal dialog with a heading and a way out. The focus goes to what is marked `data-autofocus`, and afterwards back
 * to what opened it, or to the heading of the page.
 */
export function TitledDialog(props: {
  title: string;
  wide?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const body = useRef<HTMLDivElement>(null);
  const [opener] = useState(() => document.activeElement);
  useEffect(() => {
    body.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    return () => {
      // Once the dialog is gone; who has sent the focus elsewhere meanwhile keeps it there.
      setTimeout(() => {
        const lost = document.activeElement === document.body || document.activeElement === null;
        if (!lost) return;
        const heading = document.querySelector<HTMLElement>("main h1");
        // What opened it may be gone meanwhile, like the row of a revoked key, or never had the focus: Safari gives
        // none to a button that is clicked.
        if (opener instanceof HTMLElement && opener !== document.body && opener.isConnected) {
          opener.focus();
        } else heading?.focus();
      });
    };
  }, [opener]);
  return (
    <Dialog label={props.title} className="tb-titled" onClose={props.onClose}>
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
