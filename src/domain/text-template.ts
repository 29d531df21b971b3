/** Placeholders of a text about a trip. The list is closed, so that no content of messages or records gets into texts. */
export const PLACEHOLDERS = [
  "zone.name",
  "zone.id",
  "zone.kind",
  "objective.name",
  "event.time",
  "event.cause",
] as const;

export type Placeholder = (typeof PLACEHOLDERS)[number];

const BRACED = /\{([^{}]*)\}/g;

/** Names in braces that are not placeholders. */
export function unknownPlaceholders(template: string): string[] {
  return [...template.matchAll(BRACED)].map(([, name = ""]) => name).filter((name) => !isPlaceholder(name));
}

/** The template with every placeholder replaced. */
export function renderTemplate(template: string, values: Readonly<Record<Placeholder, string>>): string {
  return template.replaceAll(BRACED, (braced: string, name: string) =>
    isPlaceholder(name) ? values[name] : braced,
  );
}

function isPlaceholder(name: string): name is Placeholder {
  return (PLACEHOLDERS as readonly string[]).includes(name);
}
