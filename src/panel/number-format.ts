/**
 * A number as the language writes it, such as `-60,2` in Romanian. What is rounded to zero has no sign.
 * @param language `en` or `ro`
 * @param fractionDigits exact number of decimals
 */
export function formatNumber(value: number, language: string, fractionDigits = 0): string {
  const digits = {
    minimumFractionDigits: fractionDigits,
    maximumFractionDigits: fractionDigits,
  };
  const rounded = Number(value.toFixed(fractionDigits));
  // Rounding -0.04 gives -0, which the browser writes with a minus.
  return (rounded === 0 ? 0 : rounded).toLocaleString(language, digits);
}
