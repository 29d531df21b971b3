import { computed } from "@preact/signals";
import type { ComponentChildren, Ref } from "preact";
import { isLoading, notUpdatedSinceMs } from "./api.ts";
import { withMoreTexts } from "./i18n.ts";
import { isStale, liveness } from "./live-updates.ts";
import { LazyScreen } from "./lazy-screen.tsx";
import { sessionState } from "./session.ts";

const notUpdated = () => withMoreTexts(import("./not-updated.tsx")).then((part) => part.NotUpdated);

/**
 * The content below the frame. The markup has the name of the screen and whether it is complete, so that screen readers
 * and tests do not read leftovers of the previous screen.
 * @param screen address after `#/`
 */
export function Main({
  screen: address,
  place,
  children,
}: {
  readonly screen: string;
  readonly place?: Ref<HTMLElement>;
  readonly children: ComponentChildren;
}) {
  return (
    <main
      id="content"
      tabIndex={-1}
      data-screen={address}
      aria-busy={isIncomplete}
      {...(place ? { ref: place } : {})}
    >
      {/* While the page has no connection, its bar reports it. */}
      {notUpdatedSinceMs.value < Infinity && !isStale.value && <LazyScreen load={notUpdated} isPart />}
      {children}
    </main>
  );
}

const isIncomplete = computed(
  () => isLoading.value || (sessionState.value === "in" && liveness.value === "starting"),
);
