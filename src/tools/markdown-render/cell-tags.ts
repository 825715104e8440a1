/**
 * The tags of a table's cells by column alignment. They are created once, because a megabyte can have 500,000 cells.
 */
const cellTags = (name: "th" | "td", align: string) => ({
  open: align === "" ? `<${name}>` : `<${name} align="${align}">`,
  close: `</${name}>\n`,
});

const cellsOf = (name: "th" | "td") => ({
  "": cellTags(name, ""),
  left: cellTags(name, "left"),
  center: cellTags(name, "center"),
  right: cellTags(name, "right"),
});

export const HEAD_CELLS = cellsOf("th");
export const BODY_CELLS = cellsOf("td");
