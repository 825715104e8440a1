import { Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { arrival } from "../redirect-target.ts";

/** The heading of a screen, and the title of the browser's tab. `children` stand beside it: buttons, a filter. */
export function PageTitle({ title, children }: { title: string; children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // After a navigation, or where another screen took the focus away with what had it, screen readers and the
    // keyboard go on at the new heading.
    if (arrival.take()) heading.current?.focus({ preventScroll: true });
    document.title = `${title} - Toolbooth`;
  }, [title]);
  return (
    <div className="tb-page-title">
      <Title order={1} tabIndex={-1} ref={heading}>
        {title}
      </Title>
      {children !== undefined && <div className="tb-page-title-side">{children}</div>}
    </div>
  );
}
