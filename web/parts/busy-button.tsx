import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode, RefObject } from "react";

/** While its request is on the way it says so and does nothing, but keeps the focus, which a disabled button loses. */
export function BusyButton({
  busy,
  busyWords,
  onClick,
  children,
  ...others
}: Omit<ButtonProps, "loading" | "disabled"> & {
  busy: boolean;
  busyWords: string;
  type?: "submit";
  /** Left out in a form, whose own `onSubmit` is asked. */
  onClick?: () => void;
  ref?: RefObject<HTMLButtonElement | null>;
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
      {busy ? busyWords : children}
    </Button>
  );
}
