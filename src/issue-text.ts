import type * as z from "zod/mini";

/**
 * What is wrong with a value, as the end of a sentence that begins with its name: `must be a string`. A message of the schema's author takes
 * precedence. It never shows the value.
 */
const issueText: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return `must be ${TYPES[issue.expected] ?? `of the type ${issue.expected}`}`;
    case "invalid_value":
      return `must be ${oneOf(issue.values)}`;
    case "too_small":
      return boundText(issue, issue.minimum, "at least", "more than");
    case "too_big":
      return boundText(issue, issue.maximum, "at most", "less than");
    case "invalid_format":
      return formatText(issue);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `has the unknown ${issue.keys.length === 1 ? "field" : "fields"} ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
    case "invalid_union":
      return unionText(issue);
    default:
      return "is not valid";
  }
};

/** For every parse whose messages people see. */
export const IN_WORDS = { error: issueText };

const TYPES: Readonly<Record<string, string>> = {
  ...{ string: "a string", number: "a number", int: "a whole number", boolean: "true or false" },
  ...{ array: "an array", tuple: "an array", object: "a JSON object", record: "a JSON object" },
  ...{ null: "null", undefined: "left out", void: "left out", never: "left out" },
};

const oneOf = (values: readonly unknown[]): string =>
  `${values.length > 1 ? "one of " : ""}${values.map((value) => `\`${String(value)}\``).join(", ")}`;

/** What a value has a number of. The others are compared themselves. */
const UNITS: Readonly<Record<string, string>> = {
  ...{ string: "character", array: "item", set: "item", map: "item", file: "byte" },
};

type Bounded = { origin: string; exact?: boolean; inclusive?: boolean };

function boundText(
  { origin, exact, inclusive }: Bounded,
  bound: number | bigint,
  within: string,
  beyond: string,
): string {
  const how = exact ? "exactly" : inclusive === false ? beyond : within;
  const unit = UNITS[origin];
  const count = Number(bound);
  if (unit === undefined)
    return `must be ${how} ${origin === "date" ? new Date(count).toISOString() : bound}`;
  if (count === 1 && how === "at least") return "must not be empty";
  return `must have ${how} ${bound} ${unit}${count === 1 ? "" : "s"}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  ...{ email: "an email address", url: "a URL", uuid: "a UUID", guid: "a UUID" },
  ...{ ipv4: "an IPv4 address", ipv6: "an IPv6 address", base64: "base64", json_string: "JSON" },
  date: "a date such as 2027-01-31",
  time: "a time such as 12:30:00",
  datetime: "a date and time such as 2027-01-31T12:00:00Z",
  ...{ lowercase: "in lowercase", uppercase: "in uppercase" },
};

function formatText(issue: { format: string; pattern?: unknown } & Record<string, unknown>) {
  const { format, pattern } = issue;
  switch (format) {
    case "starts_with":
      return `must begin with \`${issue["prefix"]}\``;
    case "ends_with":
      return `must end with \`${issue["suffix"]}\``;
    case "includes":
      return `must contain \`${issue["includes"]}\``;
    case "regex":
      return `must match the pattern \`${pattern}\``;
    default:
      return `must be ${FORMATS[format] ?? `in the format ${format}`}`;
  }
}

type Union = {
  errors: readonly (readonly z.core.$ZodIssue[])[];
  options?: readonly unknown[] | undefined;
  inclusive?: boolean;
};

/** If the value has the type of one alternative, what is wrong with it there; else the types, such as a string or null. */
function unionText({ errors, options = [], inclusive }: Union): string {
  if (options.length > 0) return `must be ${oneOf(options)}`;
  const firsts = errors.flatMap(([first]) => first ?? []);
  const ofItsType = firsts.filter(({ code, path }) => code !== "invalid_type" || path.length > 0);
  const [only] = ofItsType;
  if (only !== undefined && ofItsType.length === 1) {
    const { path, message } = only;
    return path.length === 0
      ? message
      : `is not valid: \`${path.map(String).join(".")}\` ${message}`;
  }
  const texts = [...new Set(firsts.map(({ message }) => message))];
  if (ofItsType.length === 0 && texts.length > 0 && texts.every((text) => text.startsWith(MUST_BE)))
    return MUST_BE + texts.map((text) => text.slice(MUST_BE.length)).join(" or ");
  return inclusive === false
    ? "must have exactly one of the forms in its description"
    : "must have one of the forms in its description";
}

const MUST_BE = "must be ";
