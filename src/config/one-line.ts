/** A name on one line: a block of YAML (`|`) ends with a line end, and a name is part of subjects, lists and messages. */
export function oneLine(name: string): string {
  if (!/[\t\n\r]/.test(name)) return name;
  const parts = name.split(/[\t\n\r]+/).map((part) => part.trim());
  return parts.filter((part) => part !== "").join(" ");
}
