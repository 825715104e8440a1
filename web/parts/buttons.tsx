import { Button, type ButtonProps, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";

/** A button that shows `busyLabel` while its request is pending. It stays focusable, unlike a disabled button. */
export function BusyButton({
  busy,
  busyLabel,
  onClick,
  children,
  ...others
}: Omit<ButtonProps, "loading" | "disabled"> & {
  busy: boolean;
  busyLabel: string;
  type?: "submit";
  /** Omitted in a form, which handles `onSubmit` instead. */
  onClick?: () => void;
  children: ReactNode;
}) {
  return (
    <Button
      {...others}
      aria-busy={busy}
      aria-disabled={busy}
      onClick={() => {
        if (!busy) onClick?.();
      }}
    >
      {busy ? busyLabel : children}
    </Button>
  );
}

/** A link to another site. It opens in a new tab without access to this page. */
export const ExternalLink = (props: { href: string; size: "xs" | "sm"; children: ReactNode }) => (
  <Button
    component="a"
    href={props.href}
    target="_blank"
    rel="noopener noreferrer"
    size={props.size}
    variant="default"
  >
    {props.children}
    <VisuallyHidden>&nbsp;(opens in a new tab)</VisuallyHidden>
  </Button>
);
