import { VisuallyHidden } from "@mantine/core";

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
