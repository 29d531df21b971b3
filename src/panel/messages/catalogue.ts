import type { EN } from "./en.ts";

/** A sentence whose form follows a number; which forms there are is the language's affair (CLDR). */
export type Plural = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

export type MessageKey = keyof typeof EN;
/** Every word of the panel in one language. */
export type Catalogue = CatalogueOf<typeof EN>;
/** The same words in another language: the same keys, and forms where there are forms. */
export type CatalogueOf<Words> = {
  readonly [Key in keyof Words]: Words[Key] extends string ? string : Plural;
};
