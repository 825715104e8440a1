import * as z from "zod/mini";

/** The constraints of a field that error messages name, as members of its JSON Schema. */
export type FieldSchema = {
  type?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
};
export type BodySchema = FieldSchema & {
  properties?: Record<string, BodySchema>;
  required?: string[];
  /** Of every item of a list. */
  items?: BodySchema;
  /** The value may also be null. */
  isNullable?: boolean;
  anyOf?: BodySchema[];
  oneOf?: BodySchema[];
};

/**
 * Returns what a schema accepts, as the members of its JSON Schema that messages need. Reads the schema's definition, because
 * Zod's own conversion to JSON Schema would add 6 KB to the compressed bundle of the API Worker; a test compares the two.
 */
export function constraintsOf(schema: z.core.$ZodType): BodySchema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "default":
    case "prefault":
    case "optional":
    case "nonoptional":
    case "readonly":
    case "catch":
      return constraintsOf(def.innerType);
    case "lazy":
      return constraintsOf(def.getter());
    case "nullable":
      return withNull(constraintsOf(def.innerType));
    case "pipe":
      return constraintsOf(def.in._zod.def.type === "transform" ? def.out : def.in);
    case "object":
      return constraintsOfObject(def.shape);
    case "record":
      return { type: "object" };
    // The items of one differ, so it is read as a whole.
    case "tuple":
      return { anyOf: [{ type: "array" }] };
    case "union":
      return oneOfSchemas(def.options.map(constraintsOf));
    case "enum":
    case "literal":
      return oneOf([...(schema._zod.values ?? [])]);
    case "string":
      return { type: "string", ...boundsOf(def.checks) };
    case "number":
      return { type: isWhole(def) ? "integer" : "number", ...boundsOf(def.checks) };
    case "boolean":
    case "null":
      return { type: def.type };
    case "array":
      return {
        type: "array",
        // Read when it is needed, as the members of objects are: a schema may contain itself.
        get items() {
          return constraintsOf(def.element);
        },
      };
    // A schema that describes itself (`describedBy`).
    case "any":
      return (z.globalRegistry.get(schema) ?? {}) as BodySchema;
    default:
      return {};
  }
}

/** The schema of every value but null: a JSON Schema has null as one of several types, or of several schemas. */
export function besidesNull(schema: BodySchema): BodySchema {
  const type: unknown = schema.type;
  const all: BodySchema[] = Array.isArray(type)
    ? type.map((each) => ({ ...schema, type: each }))
    : (schema.anyOf ?? schema.oneOf ?? []);
  const others = all.filter((each) => each.type !== "null");
  if (others.length === all.length) return schema;
  return withNull((others.length === 1 ? others[0] : undefined) ?? schema);
}

const withNull = (schema: BodySchema): BodySchema =>
  Object.create(schema, { isNullable: { value: true, enumerable: true } });

function constraintsOfObject(shape: z.core.$ZodShape): BodySchema {
  const fields = Object.entries(shape);
  const required = fields.filter(([, field]) => field._zod.optin === undefined);
  const properties: Record<string, BodySchema> = {};
  for (const [name, field] of fields)
    Object.defineProperty(properties, name, { enumerable: true, get: () => constraintsOf(field) });
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
  };
}

/** Values of several types have none that a text stands for. */
function oneOf(values: readonly unknown[]): FieldSchema {
  const [type, ...others] = new Set(values.map(typeOf));
  return { ...(type !== undefined && others.length === 0 && { type }), enum: [...values] };
}

const typeOf = (value: unknown): string =>
  value === null ? "null" : Number.isInteger(value) ? "integer" : typeof value;

function oneOfSchemas(anyOf: BodySchema[]): BodySchema {
  const [first, ...others] = anyOf;
  if (first === undefined || others.length === 0) return first ?? {};
  const { type } = first;
  const isOfOneType = type !== undefined && others.every((each) => each.type === type);
  const whole: BodySchema = isOfOneType ? { type, anyOf } : { anyOf };
  if (whole.type === "object") whole.properties = membersOf(anyOf);
  return anyOf.some((each) => besidesNull(each).isNullable) ? withNull(whole) : whole;
}

/** The members that any of these objects has. */
function membersOf(objects: readonly BodySchema[]): Record<string, BodySchema> {
  const members: Record<string, BodySchema> = {};
  const all = objects.map(({ properties = {} }) => properties);
  for (const name of new Set(all.flatMap((each) => Object.keys(each)))) {
    const found = all.filter((each) => Object.hasOwn(each, name));
    const get = () => oneOfSchemas(found.map((each) => each[name] as BodySchema));
    Object.defineProperty(members, name, { enumerable: true, get });
  }
  return members;
}

/** `z.int()` is a format of its own, and `z.number().int()` has one among its checks. */
const isWhole = ({ checks = [], ...own }: z.core.$ZodNumberDef): boolean =>
  [own, ...checks.map((each) => each._zod.def)].some((each) =>
    String((each as { format?: string }).format).includes("int"),
  );

/** Bounds that are not values themselves are told by the issue. */
function boundsOf(checks: readonly z.core.$ZodCheck[] = []): FieldSchema {
  const bounds: FieldSchema = {};
  for (const check of checks) {
    const { def } = (check as z.core.$ZodChecks)._zod;
    if (def.check === "greater_than" && def.inclusive) bounds.minimum = Number(def.value);
    if (def.check === "less_than" && def.inclusive) bounds.maximum = Number(def.value);
    if (def.check === "min_length") bounds.minLength = def.minimum;
  }
  return bounds;
}
