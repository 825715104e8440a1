import { Button, Table } from "@mantine/core";
import { useState, useSyncExternalStore } from "react";
import { counted, formatNumber } from "#counted.ts";
import { shortDay } from "../parts/numbers.ts";
import { GROUPINGS, type Grouping, type Line, type UsageSums } from "./breakdown.ts";

/** Long ranges have thousands of lines. This many are shown at first, and this many more on each click. */
const LINES_SHOWN = 50;
const HEADS = { day: "Day (UTC)", tool: "Tool", key: "Key" };

export function UsageTable(props: {
  lines: Line[];
  grouping: Grouping;
  totals: UsageSums;
  titleOf: (key: string) => string;
}) {
  const { lines, grouping, totals, titleOf } = props;
  const [shown, setShown] = useState(LINES_SHOWN);
  const isPrinting = usePrinting();
  const { parts } = GROUPINGS[grouping];
  const rest = lines.length - shown;
  return (
    <>
      <section
        className="tb-usage-table"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable by keyboard
        tabIndex={0}
        aria-label="Table of calls and credits"
        data-parts={parts.length}
      >
        <Table borderColor="var(--tb-line)">
          <Table.Thead>
            <Table.Tr>
              {parts.map((part) => (
                <Table.Th key={part} scope="col" className={`tb-head-${part}`}>
                  {HEADS[part]}
                </Table.Th>
              ))}
              <NumberHeads />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.slice(0, isPrinting ? lines.length : shown).map((line) => (
              <LineRow key={line.id} line={line} titleOf={titleOf} />
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th scope="row">Total</Table.Th>
              {/* No colSpan: on narrow screens a column is hidden. */}
              {parts.slice(1).map((part) => (
                <Table.Td key={part} className={`tb-head-${part}`} />
              ))}
              <Table.Th ta="right">{formatNumber(totals.calls)}</Table.Th>
              <Table.Th ta="right">{formatNumber(totals.credits)}</Table.Th>
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      </section>
      {rest > 0 && (
        <Button
          mt="md"
          className="tb-screen-only"
          variant="default"
          onClick={() => setShown(shown + LINES_SHOWN)}
        >
          {rest > LINES_SHOWN
            ? `Show ${LINES_SHOWN} more lines (${formatNumber(rest)} left)`
            : `Show ${counted(rest, "more line")}`}
        </Button>
      )}
    </>
  );
}

let isInPrint = false;

function subscribeToPrint(onChange: () => void): () => void {
  const become = (value: boolean) => () => {
    isInPrint = value;
    onChange();
  };
  const [begin, end] = [become(true), become(false)];
  addEventListener("beforeprint", begin);
  addEventListener("afterprint", end);
  return () => {
    removeEventListener("beforeprint", begin);
    removeEventListener("afterprint", end);
  };
}

/** Whether the page is being printed. Paper has no button for more lines. */
const usePrinting = () => useSyncExternalStore(subscribeToPrint, () => isInPrint);

const NumberHeads = () => (
  <>
    <Table.Th scope="col" ta="right">
      Calls
    </Table.Th>
    <Table.Th scope="col" ta="right">
      Credits
    </Table.Th>
  </>
);

/** On narrow screens without the year, and with the tool below it where a line has three names. */
const Day = ({ day, below }: { day: string; below: string | null }) => (
  <>
    {shortDay(day)}
    <span className="tb-year"> {day.slice(0, 4)}</span>
    {below !== null && <span className="tb-day-tool">{below}</span>}
  </>
);

function LineRow({ line, titleOf }: { line: Line; titleOf: (key: string) => string }) {
  const { day, tool, key } = line;
  const isLong = day !== undefined && tool !== undefined && key !== undefined;
  const cells = [
    day !== undefined && {
      id: "day",
      className: "tb-day",
      text: <Day day={day} below={isLong ? tool : null} />,
    },
    tool !== undefined && { id: "tool", className: "tb-tool", text: tool },
    key !== undefined && { id: "key", className: "tb-key-name", text: titleOf(key) },
  ].filter((cell) => cell !== false);
  const [first, ...others] = cells;
  return (
    <Table.Tr>
      <Table.Th scope="row" className={first?.className ?? ""}>
        {first?.text}
      </Table.Th>
      {others.map(({ id, className, text }) => (
        <Table.Td key={id} className={className}>
          {text}
        </Table.Td>
      ))}
      <Table.Td ta="right">{formatNumber(line.calls)}</Table.Td>
      <Table.Td ta="right">{formatNumber(line.credits)}</Table.Td>
    </Table.Tr>
  );
}
