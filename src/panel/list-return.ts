import { effect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { listOf, route } from "./route.ts";

/** A list that was left for one of its items. */
interface Left {
  readonly screen: string;
  readonly address: string;
  readonly item: string;
  readonly scrolledPx: number;
}

let left: Left | undefined;
effect(() => {
  if (route.value.screen !== left?.screen) left = undefined;
});

/** Shows a list where it was left for one of its items, with the focus on that one. @param isLoaded whether its rows are there */
export function useListReturn(isLoaded: boolean): void {
  const returned = useRef(left?.address === location.hash ? left : undefined);
  const { screen } = route.value;
  useLayoutEffect(
    () => () => {
      // The rows are still there.
      const { screen: next, item } = route.value;
      if (next === screen && item !== undefined)
        left = { screen, address: listOf(screen), item, scrolledPx: scrollY };
    },
    [],
  );
  // Not before paint: a new screen first begins at its top.
  useEffect(() => {
    const { current } = returned;
    if (!isLoaded || !current) return;
    returned.current = undefined;
    scrollTo(0, current.scrolledPx);
    const links = document.getElementById("content")?.querySelectorAll("a") ?? [];
    [...links].find(({ hash }) => hash === `#/${screen}/${current.item}`)?.focus();
  }, [isLoaded]);
}
