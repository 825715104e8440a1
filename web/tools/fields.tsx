import { useId } from "react";
import { formatNumber } from "../parts/numbers.ts";
import { Prose } from "../parts/prose.tsx";
import { LongText } from "./long-text.tsx";
import type { FieldValue, FieldValues, ToolField } from "./tool-fields.ts";
import { Button, Choice } from "./ui.tsx";

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
export const FieldLabel = ({ field: { label, name } }: { field: ToolField }) => (
  <>
    {label} <code className="play-field-name">{name}</code>
  </>
);

/** What describes a control: the error first, because screen readers read in this order. */
export function FieldHints({
  id,
  field,
  error,
}: {
  id: string;
  field: ToolField;
  error: string | undefined;
}) {
  const { help, range } = field;
  const words = [
    help,
    range === undefined ? "" : `From ${formatNumber(range.min)} to ${formatNumber(range.max)}.`,
  ];
  const text = words.filter((word) => word !== "").join(" ");
  return (
    <>
      {error !== undefined && (
        <p className="play-error" id={`${id}-error`}>
          <Prose text={error} />
        </p>
      )}
      {text !== "" && (
        <p className="play-help" id={`${id}-help`}>
          <Prose text={text} />
        </p>
      )}
    </>
  );
}

/** The ids of the notes that are shown. */
export function describedBy(id: string, field: ToolField, error: string | undefined) {
  const hasHelp = field.help !== "" || field.range !== undefined;
  const ids = [error === undefined ? "" : `${id}-error`, hasHelp ? `${id}-help` : ""];
  return ids.filter((each) => each !== "").join(" ") || undefined;
}

function ChoiceField({ field, value, error, onChange }: FieldProps) {
  const id = useId();
  return (
    <div className="play-field">
      <Choice
        legend={<FieldLabel field={field} />}
        choices={field.choices.map((choice) => [
          String(choice),
          field.choiceNames[String(choice)] ?? String(choice),
        ])}
        value={String(value)}
        describedBy={describedBy(id, field, error)}
        onChange={(chosen) =>
          onChange(field.choices.find((choice) => String(choice) === chosen) ?? chosen)
        }
      />
      <FieldHints id={id} field={field} error={error} />
    </div>
  );
}

function SwitchField({ field, value, error, onChange }: FieldProps) {
  const id = useId();
  return (
    <div className="play-field">
      <label className="play-switch">
        <input
          type="checkbox"
          checked={value === true}
          aria-describedby={describedBy(id, field, error)}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>
          <FieldLabel field={field} />
        </span>
      </label>
      <FieldHints id={id} field={field} error={error} />
    </div>
  );
}

/** A text, so that a value out of range or not a number is reported as the API reports it. */
function NumberField(props: FieldProps) {
  return (
    <LineField
      {...props}
      numeric
      onChange={(text) => {
        const trimmed = String(text).trim();
        props.onChange(NUMBER.test(trimmed) ? Number(trimmed) : trimmed);
      }}
    />
  );
}

/** What a number of JSON looks like, but that it may begin with zeros. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function SecretField(props: FieldProps) {
  return <LineField {...props} secret />;
}

function ColorField(props: FieldProps) {
  const { field, value, onChange } = props;
  const color = hexOf(String(value)) ?? hexOf(field.placeholder) ?? "#000000";
  return (
    <LineField {...props}>
      <input
        type="color"
        aria-label={`Choose: ${field.label}`}
        value={color}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {field.fallback !== undefined && value !== field.fallback && value !== "" && (
        <Button look="subtle" onClick={() => onChange("")} aria-label={`Reset: ${field.label}`}>
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

function LineField({
  field,
  value,
  error,
  onChange,
  numeric = false,
  secret = false,
  children,
}: FieldProps & { numeric?: boolean; secret?: boolean; children?: React.ReactNode }) {
  const id = useId();
  return (
    <div className="play-field" data-narrow={numeric || children !== undefined || undefined}>
      <label className="play-label" htmlFor={id}>
        <FieldLabel field={field} />
      </label>
      <div className="play-line">
        <input
          id={id}
          className="play-input"
          type={secret ? "password" : "text"}
          inputMode={numeric ? "decimal" : undefined}
          value={String(value)}
          placeholder={field.placeholder || undefined}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={describedBy(id, field, error)}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          // A key of the caller, not a password of this site.
          data-1p-ignore={secret || undefined}
          data-lpignore={secret || undefined}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        {children}
      </div>
      <FieldHints id={id} field={field} error={error} />
    </div>
  );
}

const CONTROLS = {
  text: LongText,
  line: LineField,
  secret: SecretField,
  color: ColorField,
  choice: ChoiceField,
  number: NumberField,
  switch: SwitchField,
};
