import { Button, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";

/** A link to somebody else's page, in a tab of its own that knows nothing of this one. */
export const OutsideLink = (props: { href: string; size: "xs" | "sm"; children: ReactNode }) => (
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
