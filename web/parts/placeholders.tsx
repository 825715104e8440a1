import { Skeleton, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";

/** Skeleton rows as high as the rows to come, so that the layout does not shift. `height` is in pixels. */
export function LoadingRows({ rows = 4, height = 44 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="xs" aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => `row-${row}`).map((row) => (
        <Skeleton key={row} height={height} />
      ))}
    </Stack>
  );
}

/** A single skeleton block, such as for a number, a chart or a card. `height` is in pixels. */
export function LoadingBlock({ height = 120 }: { height?: number }) {
  return (
    <div aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      <Skeleton height={height} />
    </div>
  );
}

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
