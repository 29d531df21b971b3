/**
 * Keeps the text that was made of each object: a search asks for the texts of ten thousand entries at each change of the page.
 * @returns the text of an object, made again once `wording` is another one
 */
export function keptTexts<T extends object>(make: (of: T) => string): (of: T, wording: string) => string {
  let texts = new WeakMap<T, string>();
  let madeIn = "";
  return (of, wording) => {
    if (wording !== madeIn) texts = new WeakMap();
    madeIn = wording;
    const text = texts.get(of) ?? make(of);
    texts.set(of, text);
    return text;
  };
}
