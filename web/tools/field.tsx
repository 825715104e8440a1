import type { FieldValue, ToolField } from "./tool-fields.ts";

/** What every control of a tool's form is given, and how its parts stand. */
export type FieldProps = {
  field: ToolField;
  value: FieldValue;
  error: string | undefined;
  onChange(value: FieldValue): void;
};

/** The control stands right below its name; what explains it comes after. */
export const ORDER: ("label" | "input" | "description" | "error")[] = [
  "label",
  "input",
  "error",
  "description",
];

export const FieldLabel = ({ field }: { field: ToolField }) => <code>{field.name}</code>;
