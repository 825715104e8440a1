import * as z from "zod/mini";
import { FINDINGS_MAX } from "#limits.ts";

/**
 * What an author may give as the schema of an input or output: fields by name, a schema of Zod (full or mini), or one of another
 * library that follows Standard Schema. Everything else sees a schema of Zod.
 */
export type Fields = Readonly<Record<string, z.core.$ZodType>>;
export type InputSchema = z.core.$ZodType | StandardSchema | Fields;
export type OutputSchema<Output> = z.core.$ZodType<Output> | StandardSchema<Output> | Fields;

/** What `run` gets. */
export type InputOf<Schema extends InputSchema> = Schema extends z.core.$ZodType
  ? z.core.output<Schema>
  : Schema extends StandardSchema<infer Output>
    ? Output
    : Schema extends Fields
      ? z.output<z.ZodMiniObject<Mutable<Schema>, z.core.$strict>>
      : never;
type Mutable<Shape> = { -readonly [Field in keyof Shape]: Shape[Field] };

/** The part of https://standardschema.dev that is read here. `jsonSchema` is missing in many libraries. */
type StandardSchema<Output = unknown> = {
  readonly "~standard": {
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { target: string }) => Record<string, unknown>;
    };
  };
};
type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };
type Issue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** Beyond the standard: Zod's issue of unknown fields. */
  readonly code?: string;
  readonly keys?: readonly string[];
};

const isZod = (value: unknown): value is z.core.$ZodType => isObject(value) && "_zod" in value;
const isStandard = (value: unknown): value is StandardSchema =>
  // A schema of ArkType is a function.
  (isObject(value) || typeof value === "function") && "~standard" in value;
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

export const isSchema = (value: unknown): value is InputSchema =>
  isZod(value) ||
  isStandard(value) ||
  (isObject(value) && !Array.isArray(value) && Object.values(value).every(isZod));

/**
 * Returns a schema of Zod that rejects unknown fields, unless its author allows them with `looseObject` or `catchall`. `isOpen`: it leaves
 * them, as for what somebody else's service responds with.
 */
export function schemaOf(given: InputSchema, isOpen = false): z.ZodMiniType {
  const fields = isOpen ? z.looseObject : z.strictObject;
  const schema = isZod(given)
    ? isOpen
      ? given
      : strict(given)
    : isStandard(given)
      ? ofStandard(given)
      : fields(given as z.core.$ZodShape);
  return schema as z.ZodMiniType;
}

/**
 * A misspelled option must not cost a credit, whatever stands around its object. Always another schema than the author's, within which that
 * one may be: a response has `ok` only on the outside.
 */
function strict(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const changed = (members: object) =>
    z.core.util.clone(schema, { ...def, ...members } as never, { parent: true });
  switch (def.type) {
    case "object":
      return changed({ catchall: def.catchall ?? z.never() });
    case "union":
      return changed({ options: def.options.map(strict) });
    case "default":
    case "prefault":
    case "optional":
    case "nullable":
    case "readonly":
      return changed({ innerType: strict(def.innerType) });
    case "pipe":
      return def.in._zod.def.type === "transform"
        ? changed({ out: strict(def.out) })
        : changed({ in: strict(def.in) });
    default:
      return schema;
  }
}

/** The fields of a schema of `schemaOf`; null if it allows others too, or its fields are not known. */
export function fieldNames(schema: z.ZodMiniType): string[] | null {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  const isClosed = def.type === "object" && def.catchall?._zod.def.type === "never";
  return isClosed ? Object.keys(def.shape) : null;
}

/** Where the library gives no JSON Schema, the schema is described as any JSON object. */
function ofStandard({ "~standard": standard }: StandardSchema): z.core.$ZodType {
  return z.pipe(
    describedBy(jsonSchemaOf(standard)),
    z.transform((value, payload) => {
      const result = standard.validate(value);
      if (result instanceof Promise)
        throw new TypeError(
          "The checks of an input must be synchronous: its schema returned a promise.",
        );
      if (result.issues === undefined) return result.value;
      for (const { message, path: given = [], code, keys } of result.issues) {
        const path = given.map((part) => (typeof part === "object" ? part.key : part));
        const isUnknown = code === "unrecognized_keys" && keys !== undefined;
        payload.issues.push({
          ...(isUnknown ? { code, keys: [...keys] } : { code: "custom", message }),
          ...{ path, input: value as never },
        });
      }
      return z.NEVER;
    }),
  );
}

function jsonSchemaOf({ jsonSchema }: StandardSchema["~standard"]): Record<string, unknown> {
  if (jsonSchema === undefined) return { type: "object", additionalProperties: true };
  const { $schema: _, ...schema } = jsonSchema.input({ target: "draft-2020-12" });
  return schema;
}

/** A schema that accepts everything and is described by a JSON Schema: of an input that is checked elsewhere. */
export const describedBy = (schema: Record<string, unknown>): z.ZodMiniType<unknown> =>
  z.any().register(z.globalRegistry, schema);

/** What is wrong with a value, for the log, which has no use for every item of a long list. */
export const faultsIn = (issues: readonly z.core.$ZodIssue[]): string =>
  issues
    .slice(0, FINDINGS_MAX)
    .map(({ path, message }) => `${path.map(String).join(".") || "the whole"}: ${message}`)
    .join("; ");
