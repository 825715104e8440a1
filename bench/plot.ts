/**
 * Small plots as SVG files: grouped bars, and lines. Their colors follow the reader's light or dark scheme, and series also differ in
 * their pattern of dashes or their labels, so that color is not needed to read them.
 */
export type Scale = "linear" | "log";
export type Series = { name: string; points: readonly { x: number; y: number }[] };

const WIDTH = 760;
const FONT = 13;
const LABEL_WIDTH = 250;
const BAR = 14;
const GROUP_GAP = 14;
const HEADER = 56;
const COLORS = ["--a", "--b", "--c", "--d"];
const DASHES = ["", "7 4", "2 3", "9 3 2 3"];

const STYLE = `
:root { --ink: #1f2933; --soft: #616e7c; --grid: #d9dee3; --back: #ffffff; --a: #8593a2; --b: #0b69b7; --c: #b4540a; --d: #2f7d32 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7eb; --soft: #9aa5b1; --grid: #3a444e; --back: #12181f; --a: #7b8794; --b: #5aa9f0; --c: #f0a05a; --d: #7ac77e }
}
text { font: ${FONT}px system-ui, sans-serif; fill: var(--ink) }
.soft { fill: var(--soft) }
.title { font-weight: 600 }
.grid { stroke: var(--grid) }
.end { text-anchor: end }
.middle { text-anchor: middle }
`;

/** `values`: one for each series; null leaves the bar out. `log`: bars begin at the power of ten below the smallest value. */
export function drawBars(plot: {
  title: string;
  description: string;
  series: readonly string[];
  groups: readonly { name: string; values: readonly (number | null)[] }[];
  scale: Scale;
  format: (value: number) => string;
}): string {
  const values = plot.groups.flatMap((group) => group.values).filter((value) => value !== null);
  const toX = scaleOf(plot.scale, values, [LABEL_WIDTH, WIDTH - 80], 0);
  const parts: string[] = [];
  let y = HEADER;
  for (const { name, values } of plot.groups) {
    const middle = y + (values.length * BAR) / 2 + FONT / 3;
    parts.push(textAt(LABEL_WIDTH - 10, middle, name, "end"));
    for (const [i, value] of values.entries()) {
      if (value !== null) {
        const width = Math.max(1, toX.at(value) - LABEL_WIDTH);
        parts.push(
          `<rect x="${LABEL_WIDTH}" y="${y + 1}" width="${number(width)}" height="${BAR - 2}" fill="var(${COLORS[i % COLORS.length]})"/>`,
          textAt(LABEL_WIDTH + width + 5, y + BAR - 3, plot.format(value), "soft"),
        );
      }
      y += BAR;
    }
    y += GROUP_GAP;
  }
  const grid = toX.ticks.map((tick) => {
    const x = number(toX.at(tick));
    return `<path class="grid" d="M${x} ${HEADER - 6}V${y - GROUP_GAP + 4}"/>${textAt(toX.at(tick), y + 6, plot.format(tick), "soft middle")}`;
  });
  const legend = drawLegend(plot.series, "bars");
  return frame(plot, y + 16, [...grid, ...legend, ...parts]);
}

export function drawLines(plot: {
  title: string;
  description: string;
  series: readonly Series[];
  x: { scale: Scale; label: string; ticks: readonly { at: number; label: string }[] };
  y: { scale: Scale; label: string; format: (value: number) => string };
}): string {
  const height = 360;
  const [left, right, top, bottom] = [70, WIDTH - 24, HEADER + 20, height - 50];
  const points = plot.series.flatMap((one) => one.points);
  const xs = [...points.map(({ x }) => x), ...plot.x.ticks.map(({ at }) => at)];
  const toX = scaleOf(plot.x.scale, xs, [left, right], null);
  const toY = scaleOf(
    plot.y.scale,
    points.map(({ y }) => y),
    [bottom, top],
    0,
  );
  const grid = toY.ticks.map((tick) => {
    const y = number(toY.at(tick));
    return `<path class="grid" d="M${left} ${y}H${right}"/>${textAt(left - 8, toY.at(tick) + 4, plot.y.format(tick), "soft end")}`;
  });
  const ticks = plot.x.ticks.map(({ at, label }) =>
    textAt(toX.at(at), bottom + 20, label, "soft middle"),
  );
  const lines = plot.series.map(({ points: own }, i) => {
    const path = own.map(({ x, y }) => `${number(toX.at(x))} ${number(toY.at(y))}`).join("L");
    const color = `var(${COLORS[i % COLORS.length]})`;
    const dots = own.length > 20 ? [] : own;
    return [
      `<path fill="none" stroke="${color}" stroke-width="2" stroke-dasharray="${DASHES[i % DASHES.length]}" d="M${path}"/>`,
      ...dots.map(
        ({ x, y }) =>
          `<circle cx="${number(toX.at(x))}" cy="${number(toY.at(y))}" r="3" fill="${color}"/>`,
      ),
    ].join("");
  });
  return frame(plot, height, [
    ...grid,
    ...ticks,
    textAt((left + right) / 2, height - 8, plot.x.label, "soft middle"),
    textAt(left, top - 12, plot.y.label, "soft"),
    ...drawLegend(
      plot.series.map(({ name }) => name),
      "lines",
    ),
    ...lines,
  ]);
}

type Mapping = { at(value: number): number; ticks: number[] };

/** Maps values to positions. `floor`: the smallest value of a linear scale; null takes the smallest of the values. */
function scaleOf(
  scale: Scale,
  values: readonly number[],
  [from, to]: readonly [number, number],
  floor: number | null,
): Mapping {
  const max = Math.max(...values);
  const min = Math.min(...values);
  if (scale === "log") {
    if (!(min > 0)) throw new RangeError("A logarithmic scale needs values above 0");
    const low = Math.floor(Math.log10(min));
    const last = Math.max(Math.ceil(Math.log10(max)), low + 1);
    const ticks = Array.from({ length: last - low + 1 }, (_, i) => 10 ** (low + i));
    return {
      at: (value) => from + ((Math.log10(value) - low) / (last - low)) * (to - from),
      ticks,
    };
  }
  const low = floor ?? min;
  const step = niceStep((max - low || 1) / 5);
  const high = low + Math.ceil((max - low || 1) / step - 1e-9) * step;
  const ticks = Array.from(
    { length: Math.round((high - low) / step) + 1 },
    (_, i) => low + i * step,
  );
  return { at: (value) => from + ((value - low) / (high - low)) * (to - from), ticks };
}

/** The next of 1, 2, 5, 10, 20, … above `step`. */
function niceStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5, 10].find((one) => one * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function drawLegend(names: readonly string[], kind: "bars" | "lines"): string[] {
  let x = 16;
  return names.map((name, i) => {
    const color = `var(${COLORS[i % COLORS.length]})`;
    const mark =
      kind === "bars"
        ? `<rect x="${x}" y="34" width="18" height="10" fill="${color}"/>`
        : `<path stroke="${color}" stroke-width="3" stroke-dasharray="${DASHES[i % DASHES.length]}" d="M${x} 39h26"/>`;
    const offset = kind === "bars" ? 24 : 32;
    const label = textAt(x + offset, 43, name, "");
    // About the width of the text: a font of 13 px has letters of 7 px.
    x += offset + 20 + name.length * 7;
    return mark + label;
  });
}

function frame(
  { title, description }: { title: string; description: string },
  height: number,
  parts: readonly string[],
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${number(height)}" width="${WIDTH}" height="${number(height)}" role="img" aria-labelledby="title description">
<title id="title">${escapeXml(title)}</title>
<desc id="description">${escapeXml(description)}</desc>
<style>${STYLE}</style>
<rect width="${WIDTH}" height="${number(height)}" fill="var(--back)" rx="6"/>
${textAt(16, 22, title, "title")}
${parts.join("\n")}
</svg>
`;
}

const textAt = (x: number, y: number, text: string, names: string) =>
  `<text x="${number(x)}" y="${number(y)}"${names === "" ? "" : ` class="${names}"`}>${escapeXml(text)}</text>`;

/** At most one digit after the point, which keeps the files small. */
const number = (value: number) => String(Number(value.toFixed(1)));

const escapeXml = (text: string) => text.replace(/[<>&"]/g, (found) => `&#${found.charCodeAt(0)};`);
