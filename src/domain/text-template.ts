/** What a text about a trip may speak of. The list is closed: nothing of a message or a record gets into a text. */
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

/** The names in braces that are no placeholders. */
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
