import { useEffect, useState } from "preact/hooks";

/** Where a list has a column beside it, as in panel.css. */
const WIDE = matchMedia("(min-width: 1100px)");
/** Where the bottom bar is, as in panel.css. */
const PHONE = matchMedia("(max-width: 767px)");

/** Whether there is room beside the list. */
export function useIsWide(): boolean {
  return useMatches(WIDE);
}

/** Whether further actions of a screen are behind one button. */
export function useIsPhone(): boolean {
  return useMatches(PHONE);
}

function useMatches(query: MediaQueryList): boolean {
  const [matches, setMatches] = useState(query.matches);
  useEffect(() => {
    const follow = (): void => setMatches(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  return matches;
}
