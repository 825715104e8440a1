import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";

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

export { Empty } from "./empty-state.tsx";
