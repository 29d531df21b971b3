import { computed } from "@preact/signals";
import type { ComponentChildren, Ref } from "preact";
import { isLoading } from "./api.ts";
import { liveness } from "./live-updates.ts";
import { sessionState } from "./session.ts";

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
      {children}
    </main>
  );
}

const isIncomplete = computed(
  () => isLoading.value || (sessionState.value === "in" && liveness.value === "starting"),
);
