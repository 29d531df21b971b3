import type { EN } from "./en.ts";

/** A text whose form depends on the number `n`, by CLDR plural category. */
export type Plural = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

export type MessageKey = keyof typeof EN;
/** All texts of the panel in one language. */
export type Catalogue = CatalogueOf<typeof EN>;
/** The same texts in another language: the same keys, with plural forms where English has them. */
export type CatalogueOf<Texts> = {
  readonly [Key in keyof Texts]: Texts[Key] extends string ? string : Plural;
};
