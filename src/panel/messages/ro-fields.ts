import type { CatalogueOf } from "./catalogue.ts";
import type { EN_FIELDS } from "./en-fields.ts";

/** What is wrong with a field of a form, in Romanian. */
export const RO_FIELDS: CatalogueOf<typeof EN_FIELDS> = {
  missing: "Câmpul este gol. Completați-l.",
  notChosen: "Nu este aleasă nicio valoare. Alegeți una din listă.",
  noFile: "Nu este ales niciun fișier. Alegeți unul.",
  notEmail: "Nu este o adresă de e-mail, de exemplu nume@exemplu.ro.",
  notNumber: "Nu este un număr.",
  notWhole: "Nu este un număr întreg.",
  tooSmall: "Valoarea este prea mică. Cea mai mică este {min}.",
  tooLarge: "Valoarea este prea mare. Cea mai mare este {max}.",
  notDate: "Dată incompletă. Completați câmpul sau goliți-l.",
  tooLong: "Textul este prea lung. Numărul maxim de caractere: {maxLength}.",
  tooShort: "Textul este prea scurt. Numărul minim de caractere: {minLength}.",
  notPossible: "Această valoare nu este posibilă.",
};
