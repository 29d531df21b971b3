import type { EN_MORE } from "./en-more.ts";
import type { EN } from "./en.ts";

/** A text whose form depends on the number `n`, by CLDR plural category. */
export type Plural = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

export type MessageKey = keyof typeof EN | keyof typeof EN_MORE;
/** The texts of the start in one language: the frame, the sign-in, Home. */
export type Catalogue = CatalogueOf<typeof EN>;
/** Texts of the other screens, loaded with the first of them. */
export type MoreTexts = CatalogueOf<typeof EN_MORE>;
/** The same texts in another language: the same keys, with plural forms where English has them. */
export type CatalogueOf<Texts> = {
  readonly [Key in keyof Texts]: Texts[Key] extends string ? string : Plural;
};
