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
      return constraintsOf(def.innerType);
    case "pipe":
      return constraintsOf(def.in._zod.def.type === "transform" ? def.out : def.in);
    case "object":
      return constraintsOfObject(def.shape);
    case "enum":
      return { type: "string", enum: Object.values(def.entries) };
    // All literals of fields are whole numbers.
    case "literal":
      return { type: "integer", enum: def.values };
    case "string":
      return { type: "string", ...boundsOf(def.checks) };
    case "number":
      return { type: "check" in def ? "integer" : "number", ...boundsOf(def.checks) };
    case "boolean":
      return { type: "boolean" };
    case "array":
      return {
        type: "array",
        // Read when it is needed: a schema may have a list of itself.
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

function constraintsOfObject(shape: z.core.$ZodShape): BodySchema {
  const fields = Object.entries(shape);
  const required = fields.filter(([, field]) => field._zod.optin === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, field]) => [name, constraintsOf(field)])),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
  };
}

function boundsOf(checks: readonly z.core.$ZodCheck[] = []): FieldSchema {
  const bounds: FieldSchema = {};
  for (const check of checks) {
    const { def } = (check as z.core.$ZodChecks)._zod;
    if (def.check === "greater_than") bounds.minimum = Number(def.value);
    if (def.check === "less_than") bounds.maximum = Number(def.value);
    if (def.check === "min_length") bounds.minLength = def.minimum;
  }
  return bounds;
}
