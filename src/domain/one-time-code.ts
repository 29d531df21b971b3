/** A one-time code without what does not count in it: it may be typed in capitals, and with other dashes and spaces. */
export function plainCode(code: string): string {
  return code.toLowerCase().replaceAll(/[\s-]/g, "");
}
