/**
 * A colour and a pattern for each series of a chart, so that the bars do not depend on colour alone. The colours are in
 * chart.css. The last one is for errors.
 */
export const PATTERNS = [
  { colour: "var(--tb-series-0)", lines: null },
  { colour: "var(--tb-series-1)", lines: "M0 8L8 0M-2 2L2-2M6 10L10 6" },
  { colour: "var(--tb-series-2)", lines: "M0 4H8" },
  { colour: "var(--tb-series-3)", lines: "M0 0L8 8M-2 6L2 10M6-2L10 2" },
  { colour: "var(--tb-series-4)", lines: "M4 0V8" },
  { colour: "var(--tb-series-5)", lines: "M0 4H8M4 0V8" },
  { colour: "var(--tb-bad)", lines: "M0 8L8 0M-2 2L2-2M6 10L10 6" },
] as const;
export const ERROR_PATTERN = PATTERNS.length - 1;

/** SVG definitions of the patterns. `name` makes their ids unique on the page. */
export const PatternDefinitions = ({ name }: { name: string }) => (
  <defs>
    {PATTERNS.map(({ colour, lines }, index) => (
      <pattern
        key={colour}
        id={`${name}-${index}`}
        width="8"
        height="8"
        patternUnits="userSpaceOnUse"
      >
        <rect width="8" height="8" fill={colour} />
        {lines !== null && (
          <path d={lines} stroke="var(--tb-bg)" strokeWidth="1.2" strokeOpacity="0.45" />
        )}
      </pattern>
    ))}
  </defs>
);

/** The swatch of a series in the legend. */
export const Swatch = ({ name, pattern }: { name: string; pattern: number }) => (
  <svg width="14" height="14" aria-hidden="true" className="tb-swatch">
    <rect width="14" height="14" rx="3" fill={`url(#${name}-${pattern})`} />
  </svg>
);
