/**
 * The tables of docs/configuration.md: one for each section, with a row for each option.
 * @param configuration the parsed schemas/configuration.json
 * @param schemas all parsed schemas, to follow references between them
 * @returns Markdown
 */
export function optionTables(configuration, schemas) {
  const sections = [];
  const queue = [["", "Configuration"]];
  const seen = new Set();
  while (queue.length > 0) {
    const [path, name] = queue.shift();
    const definition = configuration.definitions[name];
    if (!definition || seen.has(`${path}:${name}`)) continue;
    seen.add(`${path}:${name}`);
    if (definition.oneOf) {
      for (const branch of definition.oneOf) if (nameOf(branch)) queue.push([path, nameOf(branch)]);
      continue;
    }
    // A plain value, such as the number of an account: the row of its option says everything.
    if (!definition.properties) continue;
    const rows = [];
    for (const [key, property] of Object.entries(definition.properties)) {
      const option = path ? `${path}.${key}` : key;
      const { inner, children } = inspect(property, option);
      queue.push(...children);
      const required = definition.required?.includes(key) ? "required" : "";
      const defaultText = "default" in property ? `\`${JSON.stringify(property.default)}\`` : required;
      rows.push(
        `| \`${option}\` | ${describe(inner)} | ${defaultText} | ${inner.description ?? property.description ?? ""} |`,
      );
    }
    sections.push(
      `### ${path || "Top level"}${path ? ` (${definition.title})` : ""}\n\n${definition.description}\n\n| option | values | default | meaning |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`,
    );
  }
  return sections.join("\n");

  function inspect(property, option) {
    const children = [];
    let inner = resolve(property);
    const own = nameOf(property);
    if (configuration.definitions[own]?.title) children.push([option, own]);
    if (property.title && property.properties) inner = property;
    for (const branch of property.oneOf ?? []) if (nameOf(branch)) children.push([option, nameOf(branch)]);
    if (property.items && nameOf(property.items)) children.push([`${option}[]`, nameOf(property.items)]);
    if (property.additionalProperties?.$ref)
      children.push([`${option}.<name>`, nameOf(property.additionalProperties)]);
    return { inner: { ...inner, description: property.description ?? inner.description }, children };
  }

  function resolve(value) {
    const reference = value.$ref ?? (value.allOf?.length === 1 ? value.allOf[0].$ref : undefined);
    if (!reference) return value;
    const [file, pointer] = reference.split("#");
    const schema = file ? schemas.find((candidate) => candidate.$id === file) : configuration;
    const found = pointer
      .split("/")
      .slice(1)
      .reduce((at, key) => at?.[key], schema);
    return found ?? schemas.map((s) => s.definitions[nameOf(value)]).find(Boolean);
  }
}

function nameOf(value) {
  const reference = value.$ref ?? (value.allOf?.length === 1 ? value.allOf[0].$ref : undefined);
  return reference?.split("/").at(-1);
}

function describe(schema) {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(" ");
  if ("const" in schema) return `\`${schema.const}\``;
  if (schema.oneOf) return "one of the sections below";
  if (schema.type === "array") return `list${schema.maxItems ? `, at most ${schema.maxItems}` : ""}`;
  if (schema.minimum !== undefined && schema.maximum !== undefined)
    return `${schema.minimum}–${schema.maximum === Number.MAX_SAFE_INTEGER ? "2^53−1" : schema.maximum}`;
  return Array.isArray(schema.type) ? schema.type.join(" or ") : (schema.type ?? "");
}
