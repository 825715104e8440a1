import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";

/** Rows as high as those that will come, so that nothing jumps. */
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

/** One block: a figure, a chart, a card. */
export function LoadingBlock({ height = 120 }: { height?: number }) {
  return (
    <div aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      <Skeleton height={height} />
    </div>
  );
}
