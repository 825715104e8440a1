import type { FieldValue, FieldValues, ToolField } from "./tool-fields.ts";
import { emptyValues } from "./tool-fields.ts";

/**
 * Inputs of a form as text: in the fragment of a link, which browsers do not send to servers, and in the storage of the tab.
 * Neither has secrets or files.
 */
const FRAGMENT = "#input=";
/** Some browsers and many chat programs cut longer URLs. */
const LINK_CHARS_MAX = 8_000;
/** The storage of a tab holds 5 MB of this site; a reload should not cost more than this. */
const STORED_CHARS_MAX = 1_200_000;

type ReadInputs = { values: FieldValues } | { fault: string };

/** The fragment for these values, or null where it would be too long for a link. */
export function fragmentOf(fields: readonly ToolField[], values: FieldValues): string | null {
  const fragment = FRAGMENT + encodeURIComponent(JSON.stringify(keptValues(fields, values)));
  return fragment.length > LINK_CHARS_MAX ? null : fragment;
}

export const isInputFragment = (hash: string): boolean => hash.startsWith(FRAGMENT);

/** Reads the fragment of a link, which anyone may have written. */
export function readFragment(fields: readonly ToolField[], hash: string): ReadInputs {
  if (hash.length > LINK_CHARS_MAX) {
    return { fault: "The link is too long, so its inputs were not used." };
  }
  let text: string;
  try {
    text = decodeURIComponent(hash.slice(FRAGMENT.length));
  } catch {
    return { fault: "The link is damaged, so its inputs were not used. Copy it again in full." };
  }
  return readValues(fields, text);
}

/** Null where nothing is stored or storage is off. What cannot be read is ignored. */
export function loadInputs(tool: string, fields: readonly ToolField[]): FieldValues | null {
  try {
    const text = sessionStorage.getItem(storageKey(tool));
    const read = text === null ? null : readValues(fields, text);
    return read !== null && "values" in read ? read.values : null;
  } catch {
    return null;
  }
}

/** Keeps the values until the tab is closed. Values that are too long are not kept. */
export function storeInputs(tool: string, fields: readonly ToolField[], values: FieldValues): void {
  try {
    const text = JSON.stringify(keptValues(fields, values));
    if (text.length <= STORED_CHARS_MAX) sessionStorage.setItem(storageKey(tool), text);
    else sessionStorage.removeItem(storageKey(tool));
  } catch {
    // Storage is off or full.
  }
}

const storageKey = (tool: string): string => `tb-inputs-${tool}`;

/** Values that differ from those of an empty form, without secrets. */
function keptValues(fields: readonly ToolField[], values: FieldValues): FieldValues {
  const empty = emptyValues(fields);
  return Object.fromEntries(
    fields.flatMap(({ name, kind }): [string, FieldValue][] => {
      const value = values[name];
      return kind === "secret" || value === undefined || value === empty[name]
        ? []
        : [[name, value]];
    }),
  );
}

function readValues(fields: readonly ToolField[], text: string): ReadInputs {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return { fault: "The link is damaged, so its inputs were not used. Copy it again in full." };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    return { fault: "The link contains no inputs for this form." };
  }
  const values = emptyValues(fields);
  for (const [name, value] of Object.entries(read)) {
    const field = fields.find((each) => each.name === name);
    if (field === undefined || field.kind === "secret" || !isValueOf(field, value)) {
      return { fault: "The link contains inputs that this form does not have, so none were used." };
    }
    values[name] = value;
  }
  return { values };
}

function isValueOf({ kind, choices }: ToolField, value: unknown): value is FieldValue {
  if (kind === "choice") return choices.includes(value as FieldValue);
  if (kind === "switch") return typeof value === "boolean";
  // A number field holds text while it is empty or not a number.
  if (kind === "number") return typeof value === "number" || typeof value === "string";
  return typeof value === "string";
}
