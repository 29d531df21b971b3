/** The parts of an OpenAPI document that are shown. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

export interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses?: Responses;
}

/** The responses by status. */
export type Responses = Readonly<Record<string, { readonly description?: string }>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

type Schemas = Readonly<Record<string, Schema>>;

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Schemas;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/** What a request takes. The texts are those of the document, and words for `ApiText`; code is in backticks. */
export interface Field {
  /** Empty for a body without fields. */
  readonly name: string;
  /** Where it is sent: in the path, the query, a header or the body. */
  readonly place: string;
  readonly description: string | undefined;
  /** Its type, whether it is required, its default and an example, with the punctuation between them. */
  readonly type: readonly string[];
}

/** What an operation takes: its parameters, and the fields of its body. */
export function fieldsOf(operation: Operation, schemas: Schemas): readonly Field[] {
  const parameters = (operation.parameters ?? []).map(({ name, in: place, schema = {}, ...own }) => {
    const field = fieldOf(name, place, resolved(schema, schemas), own.required === true, schemas);
    return { ...field, description: own.description ?? field.description };
  });
  return [...parameters, ...bodyFieldsOf(operation, schemas)];
}

function bodyFieldsOf({ requestBody }: Operation, schemas: Schemas): readonly Field[] {
  return Object.entries(requestBody?.content ?? {}).flatMap(([contentType, { schema }]) => {
    const { properties, required = [], ...whole } = resolved(schema, schemas);
    if (properties)
      return Object.entries(properties).map(([name, property]) =>
        fieldOf(name, "body", resolved(property, schemas), required.includes(name), schemas),
      );
    const { type, ...field } = fieldOf("", "body", whole, true, schemas);
    return [{ ...field, type: [...type, ", ", code(contentType)] }];
  });
}

function fieldOf(name: string, place: string, schema: Schema, isRequired: boolean, schemas: Schemas): Field {
  const [example] = schema.examples ?? [];
  const parts = [
    typeOf(schema, schemas),
    isRequired ? ["required"] : [],
    // Null stands for no value.
    schema.default === undefined || schema.default === null ? [] : ["default", ` ${code(schema.default)}`],
    example === undefined ? [] : ["for example", ` ${code(example)}`],
  ].filter((part) => part.length > 0);
  const type = parts.flatMap((part, at) => (at === 0 ? part : [", ", ...part]));
  return { name, place, description: schema.description, type };
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  number: "number",
  object: "object",
  boolean: "`true` | `false`",
};

/** The type of a value; of an object the names of its fields. Empty if the document does not say it. */
function typeOf(schema: Schema, schemas: Schemas): readonly string[] {
  const { enum: values, const: only, format, items, properties, type } = resolved(schema, schemas);
  if (values) return [values.map(code).join(" | ")];
  if (only !== undefined) return [code(only)];
  if (items) return ["list", ": ", ...typeOf(items, schemas)];
  if (properties) return ["object", `: ${Object.keys(properties).map(code).join(", ")}`];
  if (format === "binary") return ["file"];
  return [type ?? []].flat().flatMap((one, at) => [at === 0 ? "" : " | ", TYPES[one] ?? code(one)]);
}

/** A schema with what it refers to. */
function resolved(schema: Schema, schemas: Schemas): Schema {
  const { $ref, allOf = [], ...own } = schema;
  const named = $ref === undefined ? [] : [schemas[$ref.slice($ref.lastIndexOf("/") + 1)] ?? {}];
  const others = [...named, ...allOf].map((one) => resolved(one, schemas));
  return Object.assign({}, ...others, own) as Schema;
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}
