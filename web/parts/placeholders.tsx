import { Text, Title, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";

/** Blocks as high as the rows to come, so that the layout does not shift. `height` is in pixels. */
export function LoadingRows({ rows = 4, height = 44 }: { rows?: number; height?: number }) {
  return (
    <div className="tb-loading" aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => `row-${row}`).map((row) => (
        <div key={row} className="tb-skeleton" style={{ height }} />
      ))}
    </div>
  );
}

/** A single block, such as for a number, a chart or a card. `height` is in pixels. */
export const LoadingBlock = ({ height = 120 }: { height?: number }) => (
  <LoadingRows rows={1} height={height} />
);

/** An empty state: what will be listed here, and how to add the first item. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <section className="tb-empty">
      <Title order={2} size="h3">
        {title}
      </Title>
      {children !== undefined && (
        <Text component="div" c="dimmed" mt="xs" maw="34rem">
          {children}
        </Text>
      )}
      {action !== undefined && <div className="tb-empty-action">{action}</div>}
    </section>
  );
}
