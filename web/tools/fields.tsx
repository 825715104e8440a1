import { Button, Input, Switch, TextInput, type TextInputProps } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { formatNumber } from "#counted.ts";
import { Choice } from "../parts/choice.tsx";
import { PLAIN_INPUT } from "../parts/plain-input.ts";
import { Prose } from "../parts/prose.tsx";
import { LongText } from "./long-text.tsx";
import { numberIn } from "./request-text.ts";
import type { FieldValue, FieldValues, ToolField } from "./tool-fields.ts";

export type FieldProps = {
  field: ToolField;
  value: FieldValue;
  error: string | undefined;
  onChange(value: FieldValue): void;
};

/** The controls of a form, one for each field of the tool's schema. */
export function Fields({
  fields,
  values,
  errorOf,
  onChange,
}: {
  fields: readonly ToolField[];
  values: FieldValues;
  errorOf(field: ToolField): string | undefined;
  onChange(name: string, value: FieldValue): void;
}) {
  return fields.map((field) => {
    const Field = CONTROLS[field.kind];
    return (
      <Field
        key={field.name}
        field={field}
        value={values[field.name] ?? ""}
        error={errorOf(field)}
        onChange={(value) => onChange(field.name, value)}
      />
    );
  });
}

/** The label for people, and the name of the field in the API for programmers. */
const FieldLabel = ({ field: { label, name } }: { field: ToolField }) => (
  <>
    {label} <code className="play-field-name">{name}</code>
  </>
);

/** What a field of the component library shows besides its value. */
export function wordsOfField({ field, error }: Pick<FieldProps, "field" | "error">) {
  const { range } = field;
  const words = [
    field.help,
    field.kind === "json" ? "In JSON." : "",
    range === undefined ? "" : `From ${formatNumber(range.min)} to ${formatNumber(range.max)}.`,
  ];
  const help = words.filter((word) => word !== "").join(" ");
  return {
    label: <FieldLabel field={field} />,
    ...(help !== "" && { description: <Prose text={help} /> }),
    ...(error !== undefined && { error: <Prose text={error} /> }),
    inputWrapperOrder: ["label", "input", "error", "description"] as const satisfies string[],
  };
}

function ChoiceField(props: FieldProps) {
  const { field, value, onChange } = props;
  const id = useId();
  const { label, description, error } = wordsOfField(props);
  return (
    <div>
      <Choice
        legend={label}
        choices={field.choices.map((choice) => [
          String(choice),
          field.choiceNames[String(choice)] ?? String(choice),
        ])}
        value={String(value)}
        describedBy={id}
        onChange={(chosen) =>
          onChange(field.choices.find((choice) => String(choice) === chosen) ?? chosen)
        }
      />
      <div id={id}>
        {error !== undefined && <Input.Error>{error}</Input.Error>}
        {description !== undefined && <Input.Description>{description}</Input.Description>}
      </div>
    </div>
  );
}

function SwitchField(props: FieldProps) {
  const { label, description, error } = wordsOfField(props);
  return (
    <Switch
      label={label}
      description={description}
      error={error}
      checked={props.value === true}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  );
}

/**
 * A text, so that a value out of range or not a number is reported as the API reports it. What a number would be shown as differently,
 * such as `1.0` on the way to `1.05`, stays a text until it is sent.
 */
const NumberField = (props: FieldProps) => (
  <LineField
    {...props}
    inputMode="decimal"
    isNarrow
    onChange={(text) => {
      const typed = String(text).trim();
      const value = numberIn(typed);
      props.onChange(String(value) === typed ? value : typed);
    }}
  />
);

/** A key of the caller, not a password of this site. */
export const SECRET_INPUT = {
  type: "password",
  "data-1p-ignore": true,
  "data-lpignore": "true",
} as const;

const SecretField = (props: FieldProps) => <LineField {...props} {...SECRET_INPUT} />;

function ColorField(props: FieldProps) {
  const { field, value, onChange } = props;
  const color = hexOf(String(value)) ?? hexOf(field.placeholder) ?? "#000000";
  return (
    <LineField {...props} isNarrow>
      <input
        type="color"
        aria-label={`Choose: ${field.label}`}
        value={color}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {field.fallback !== undefined && value !== field.fallback && value !== "" && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => onChange("")}
          aria-label={`Reset: ${field.label}`}
        >
          Reset
        </Button>
      )}
    </LineField>
  );
}

/** `#abc` as `#aabbcc`; undefined for what is no such color. */
export function hexOf(text: string): string | undefined {
  const full = /^#[0-9a-f]{3}$/i.test(text) ? text.replace(/[0-9a-f]/gi, "$&$&") : text;
  return /^#[0-9a-f]{6}$/i.test(full) ? full.toLowerCase() : undefined;
}

/** `children` stand beside the input. */
function LineField({
  field,
  value,
  error,
  onChange,
  isNarrow = false,
  children,
  ...input
}: FieldProps &
  Omit<TextInputProps, keyof FieldProps> & { isNarrow?: boolean; children?: ReactNode }) {
  return (
    <TextInput
      {...wordsOfField({ field, error })}
      {...PLAIN_INPUT}
      {...input}
      data-narrow={isNarrow || undefined}
      value={String(value)}
      placeholder={field.placeholder}
      inputContainer={(control) => (
        <div className="play-line">
          {control}
          {children}
        </div>
      )}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

const CONTROLS = {
  text: LongText,
  json: LongText,
  body: LongText,
  line: LineField,
  secret: SecretField,
  color: ColorField,
  choice: ChoiceField,
  number: NumberField,
  switch: SwitchField,
};
