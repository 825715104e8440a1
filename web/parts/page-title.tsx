import { Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { service } from "../page-facts.ts";
import { headingFocus } from "./focus.ts";

/** The heading of a screen, which is also the title of the browser tab. `children` are shown beside it. */
export function PageTitle({ title, children }: { title: string; children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (headingFocus.take()) heading.current?.focus({ preventScroll: true });
    document.title = `${title} - ${service().name}`;
  }, [title]);
  return (
    <div className="tb-page-title">
      <Title order={1} tabIndex={-1} ref={heading}>
        {title}
      </Title>
      {children !== undefined && <div>{children}</div>}
    </div>
  );
}
