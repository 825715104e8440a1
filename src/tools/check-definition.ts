import { hostOf } from "#hosts.ts";
import {
  OWN_BODY_BYTES_LIMIT,
  OWN_TIME_LIMIT_MAX_MS,
  PRICE_CREDITS_MAX,
  UPLOAD_BYTES_MAX,
} from "#limits.ts";
import { constraintsOf } from "./constraints.ts";
import type { Example } from "./define-tool.ts";
import { fieldNames, isSchema, schemaOf } from "./input-schema.ts";
import { FIELDS_TYPE, FORM_TYPE } from "./media-type.ts";
import { nearestName } from "./nearest-name.ts";

/** Everything that is wrong with a definition, each a sentence: JavaScript has no types that say it. */
export function definitionFaults(definition: Readonly<Record<string, unknown>>): string[] {
  const { summary, input, output, price, priceMax, effect, run, examples } = definition;
  const { timeLimitMs, bodyBytesMax, browser, onCrash, secrets, hosts, operation } = definition;
  const faults: string[] = [];
  for (const name of Object.keys(definition)) {
    if (MEMBERS.includes(name)) continue;
    if (name === "name") {
      faults.push("`name` is the name of the file; leave it out.");
      continue;
    }
    faults.push(unknownMember(name, "a tool", DOCUMENTED));
  }
  if (typeof summary !== "string" || summary.trim() === "")
    faults.push("`summary` must be a sentence that says what the tool does.");
  if (!isSchema(input)) faults.push(`\`input\` must be ${A_SCHEMA}.`);
  if (output !== undefined && !isSchema(output)) faults.push(`\`output\` must be ${A_SCHEMA}.`);
  faults.push(...priceFaults(price, priceMax));
  if (effect !== undefined && effect !== "none" && effect !== "read" && effect !== "act")
    faults.push(
      `\`effect\` must be "none" (it only computes), "read" (it looks something up) or "act" (it changes something); got ${shown(effect)}.`,
    );
  if (
    onCrash !== undefined &&
    !(effect === "act" && (onCrash === "release" || onCrash === "charge"))
  )
    faults.push(
      `\`onCrash\` must be "release" or "charge", and only a tool with \`effect: "act"\` has it; got ${shown(onCrash)}.`,
    );
  for (const name of TEXTS)
    if (definition[name] !== undefined && typeof definition[name] !== "string")
      faults.push(`\`${name}\` must be a string; got ${shown(definition[name])}.`);
  if (typeof operation === "string" && !/^[a-z]\w*$/i.test(operation))
    faults.push(
      `\`operation\` must be letters, digits and underscores, such as "countWords"; got ${shown(operation)}.`,
    );
  if (examples !== undefined && !(Array.isArray(examples) && examples.every(isExample)))
    faults.push(
      "`examples` must be a list of `{ name, request, response }`, with a string as `name`.",
    );
  if (browser !== undefined && typeof browser !== "boolean")
    faults.push(`\`browser\` must be true or false; got ${shown(browser)}.`);
  if (secrets !== undefined && !(Array.isArray(secrets) && secrets.every(isSettingName)))
    faults.push(
      '`secrets` must be a list of names of settings, such as ["UPSTREAM_TOKEN"]: capital letters, digits and underscores.',
    );
  if (hosts !== undefined && !(Array.isArray(hosts) && hosts.every(isHost)))
    faults.push(
      '`hosts` must be a list of host names or addresses without a port, such as ["127.0.0.1"].',
    );
  faults.push(...fieldFaults(definition), ...fileFaults(definition));
  if (typeof run !== "function") faults.push("`run` must be a function of the input.");
  if (timeLimitMs !== undefined && !isWhole(timeLimitMs, 1, OWN_TIME_LIMIT_MAX_MS))
    faults.push(
      `\`timeLimitMs\` must be a whole number from 1 to ${OWN_TIME_LIMIT_MAX_MS}; got ${shown(timeLimitMs)}.`,
    );
  if (bodyBytesMax !== undefined && !isWhole(bodyBytesMax, 1, OWN_BODY_BYTES_LIMIT))
    faults.push(
      `\`bodyBytesMax\` must be a whole number from 1 to ${OWN_BODY_BYTES_LIMIT}; got ${shown(bodyBytesMax)}.`,
    );
  return faults;
}

function priceFaults(price: unknown, priceMax: unknown): string[] {
  const credits = `a whole number of credits from 0 to ${PRICE_CREDITS_MAX}`;
  if (typeof price === "function")
    return isWhole(priceMax, 0, PRICE_CREDITS_MAX)
      ? []
      : [
          `\`priceMax\` must be the most that a call costs, because \`price\` is a function: ${credits}; got ${shown(priceMax)}.`,
        ];
  const faults: string[] = [];
  if (!isWhole(price, 0, PRICE_CREDITS_MAX))
    faults.push(`\`price\` must be ${credits}, or a function of the input; got ${shown(price)}.`);
  if (priceMax !== undefined)
    faults.push(
      `\`priceMax\` is only for a \`price\` that is a function; leave it out. It is ${shown(priceMax)}.`,
    );
  return faults;
}

/** A name that is misspelled here would leave a secret in URLs, or a text without its limit. */
function fieldFaults({
  input,
  secretFields = [],
  fieldBytesMax = {},
}: Readonly<Record<string, unknown>>): string[] {
  if (!(Array.isArray(secretFields) && secretFields.every((name) => typeof name === "string")))
    return ['`secretFields` must be a list of names of fields, such as ["password"].'];
  const limits = Object.entries(Object(fieldBytesMax));
  if (
    typeof fieldBytesMax !== "object" ||
    !limits.every(([, bytes]) => isWhole(bytes, 1, OWN_BODY_BYTES_LIMIT))
  )
    return [
      `\`fieldBytesMax\` must be an object of fields with whole numbers from 1 to ${OWN_BODY_BYTES_LIMIT}, such as { text: 10_000 }.`,
    ];
  const fields = isSchema(input) ? fieldNames(schemaOf(input)) : null;
  const named = { secretFields, fieldBytesMax: limits.map(([name]) => name) };
  return Object.entries(named).flatMap(([member, names]) =>
    names
      .filter((name) => fields?.includes(name) === false)
      .map((name) => {
        const nearest = nearestName(name, fields ?? []);
        return `\`${member}\` has \`${name}\`, which is not a field of \`input\`${nearest === undefined ? "." : `; did you mean \`${nearest}\`?`}`;
      }),
  );
}

/** Members that say how a body is read, or what a browser runs. */
const NOT_WITH_FILE = ["rawBody", "verbatim", "body", "browser"];

function fileFaults(definition: Readonly<Record<string, unknown>>): string[] {
  const { file, input } = definition;
  if (file === undefined) return [];
  const { types, bytesMax, ...others } = Object(file) as Record<string, unknown>;
  const faults: string[] = [];
  if (!(Array.isArray(types) && types.length > 0 && types.every(isMediaType)))
    faults.push(
      '`file.types` must be a list of the media types that the file may have, such as ["image/png"]: in lowercase, without parameters or `*`.',
    );
  else if (types.some((type) => FORM_TYPES.includes(type)))
    faults.push(`\`file.types\` must not have ${FORM_TYPES.join(" or ")}, which are forms.`);
  if (bytesMax !== undefined && !isWhole(bytesMax, 1, UPLOAD_BYTES_MAX))
    faults.push(
      `\`file.bytesMax\` must be a whole number from 1 to ${UPLOAD_BYTES_MAX}; got ${shown(bytesMax)}.`,
    );
  for (const name of Object.keys(others))
    faults.push(`\`file.${name}\` is unknown; a file has \`types\` and \`bytesMax\`.`);
  if (isSchema(input) && Object.hasOwn(constraintsOf(schemaOf(input)).properties ?? {}, "file"))
    faults.push(
      "`input` must not have the field `file`, because in a form that is the name of the file; give the field another name.",
    );
  for (const name of NOT_WITH_FILE)
    if (definition[name] !== undefined && definition[name] !== false)
      faults.push(`A tool with \`file\` cannot have \`${name}\`; leave it out.`);
  return faults;
}

const isMediaType = (value: unknown): boolean =>
  typeof value === "string" &&
  /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(value);

const FORM_TYPES = [FORM_TYPE, FIELDS_TYPE];

const TEXTS = ["title", "description", "operation"];

const isExample = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Example).name === "string" &&
  "response" in value;

const isSettingName = (value: unknown): boolean =>
  typeof value === "string" && /^[A-Z][A-Z0-9_]*$/.test(value);

/** As `hostOf` writes it. */
const isHost = (value: unknown): boolean => {
  if (typeof value !== "string") return false;
  const url = URL.parse(`http://${value.includes(":") ? `[${value}]` : value}/`);
  return url !== null && hostOf(url) === value;
};

const A_SCHEMA =
  "an object of fields, such as `{ text: z.string() }`, or a schema of Zod or another library that follows Standard Schema";

const isWhole = (value: unknown, min: number, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

const shown = (value: unknown): string =>
  value === undefined ? "nothing" : typeof value === "string" ? `"${value}"` : String(value);

/** What is no member of `what`, with the one that was probably meant, else with all. */
export function unknownMember(name: string, what: string, members: readonly string[]): string {
  const nearest = nearestName(name, members);
  const advice =
    nearest === undefined
      ? `; the members are ${members.join(", ")}.`
      : `; did you mean \`${nearest}\`?`;
  return `\`${name}\` is not a member of ${what}${advice}`;
}

/** Those of docs/own-tools.md, in its order. */
export const DOCUMENTED: readonly string[] = [
  ...["summary", "input", "price", "run", "effect", "priceMax", "output", "examples", "title"],
  ...["description", "timeLimitMs", "bodyBytesMax", "fieldBytesMax", "browser", "secretFields"],
  ...["onCrash", "secrets", "hosts", "file", "passThrough", "operation"],
];

/** Others are of the tools that come with Toolbooth, and of `forward`. */
export const MEMBERS: readonly string[] = [
  ...DOCUMENTED,
  ...["rawBody", "body", "representations", "verbatim", "encode", "agents", "page"],
  ...["heavyFromBytes", "runInBlocks", "callsAtOnce"],
];
