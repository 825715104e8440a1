import type { FieldValue, ToolField } from "./tool-fields.ts";

/** The properties of every control of a tool's form. */
export type FieldProps = {
  field: ToolField;
  value: FieldValue;
  error: string | undefined;
  onChange(value: FieldValue): void;
};

/** The control is directly below its label, and the description below the control. */
export const ORDER: ("label" | "input" | "description" | "error")[] = [
  "label",
  "input",
  "error",
  "description",
];

export const FieldLabel = ({ field }: { field: ToolField }) => <code>{field.name}</code>;
