import { VisuallyHidden } from "@mantine/core";

type Height = number | string;

/** Blocks as high as the rows to come, so that the layout does not shift. `height` is in pixels or CSS. */
export function LoadingRows({ rows = 4, height = 44 }: { rows?: number; height?: Height }) {
  return (
    <div className="tb-loading" aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => `row-${row}`).map((row) => (
        <div key={row} className="tb-skeleton" style={{ height }} />
      ))}
    </div>
  );
}

/** A single block, such as for a number, a chart or a card. `height` is in pixels or CSS. */
export const LoadingBlock = ({ height }: { height: Height }) => (
  <LoadingRows rows={1} height={height} />
);

/** In place of a section with a list. */
export const LoadingSection = () => (
  <div className="tb-section">
    <LoadingRows rows={5} height={48} />
  </div>
);
