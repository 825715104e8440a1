import { Table, VisuallyHidden } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { ReactNode } from "react";
import "./records.css";

/** A column of the table, or a line of the card. The first column names the record and heads the row or card. */
export type Column<Row> = {
  head: string;
  cell: (row: Row) => ReactNode;
  /** Right-aligned, with tabular digits. */
  numeric?: boolean;
  /** How a card shows it instead of a line with its name: beside the card's name, or as a line of text. */
  inCard?: "beside" | "plain";
  /** When the table gets narrower, columns with `first` disappear, then those with `second`. Cards show every column. */
  drop?: "first" | "second";
  /** A width in CSS. If any column has one, the columns without share the rest and cut off what does not fit. */
  width?: string;
};

/** In a table with widths: one button that opens a menu. */
const MENU_WIDTH = "4.25rem";

/** Below this width a table with many columns would have to be scrolled sideways. */
const NARROW = "(max-width: 61.99em)";

/**
 * A list of records: a table on wide screens, cards on narrow ones. `label` names it for screen readers; `narrow` is the media
 * query of narrow screens, if the table needs more space than others. `actionsWidth` is for actions that are more than a menu, in a table
 * with widths.
 */
export function Records<Row extends { id: string }>(props: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  actions?: (row: Row) => ReactNode;
  actionsWidth?: string;
  narrow?: string;
}) {
  const narrow = useMediaQuery(props.narrow ?? NARROW, false, { getInitialValueInEffect: false });
  return narrow ? <Cards {...props} /> : <RecordTable {...props} />;
}

type Props<Row> = Parameters<typeof Records<Row & { id: string }>>[0];

function RecordTable<Row extends { id: string }>(props: Props<Row>) {
  const { label, columns, rows, actions, actionsWidth = MENU_WIDTH } = props;
  const [first, ...others] = columns;
  const isFixed = columns.some(({ width }) => width !== undefined);
  return (
    <div className="tb-records">
      <Table
        aria-label={label}
        borderColor="var(--tb-line)"
        verticalSpacing="sm"
        horizontalSpacing="md"
        layout={isFixed ? "fixed" : "auto"}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ head, numeric, drop, width }) => (
              <Table.Th
                key={head}
                scope="col"
                ta={numeric ? "right" : "left"}
                data-drop={drop}
                w={width}
              >
                {head}
              </Table.Th>
            ))}
            {actions !== undefined && (
              <Table.Th scope="col" w={isFixed ? actionsWidth : undefined}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Th scope="row">{first?.cell(row)}</Table.Th>
              {others.map(({ head, cell, numeric, drop }) => (
                <Table.Td key={head} className={numeric ? "tb-numeric" : ""} data-drop={drop}>
                  {cell(row)}
                </Table.Td>
              ))}
              {actions !== undefined && (
                <Table.Td>
                  <div className="tb-record-actions">{actions(row)}</div>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** Text on one line. What does not fit is cut off; the whole text is its tooltip. */
export const OneLine = ({ text }: { text: string }) => (
  <span className="tb-one-line" title={text}>
    {text}
  </span>
);

function Cards<Row extends { id: string }>({ label, columns, rows, actions }: Props<Row>) {
  const [first, ...others] = columns;
  return (
    <ul className="tb-record-cards" aria-label={label}>
      {rows.map((row) => (
        <li key={row.id}>
          <div className="tb-record-name">{first?.cell(row)}</div>
          <dl>
            {others.map(({ head, cell, inCard }) => (
              <div key={head} data-in-card={inCard}>
                <dt>{inCard === undefined ? head : <VisuallyHidden>{head}</VisuallyHidden>}</dt>
                <dd>{cell(row)}</dd>
              </div>
            ))}
          </dl>
          {actions !== undefined && <div className="tb-record-actions">{actions(row)}</div>}
        </li>
      ))}
    </ul>
  );
}
