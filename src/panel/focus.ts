import { watchFields } from "./field-errors.ts";

export { showFieldError } from "./field-errors.ts";

/** What every screen needs, and not before the first press. @param page what the panel draws into */
export function watchPage(page: Element): void {
  keepFocus(page);
  watchFields(page.ownerDocument);
}

/**
 * Keeps the focus in the page. A button may disappear by its own press, such as the end of a walk test or the sign-out; without
 * this, keyboard and screen reader users would start again at the browser's own bars.
 * @param page what the panel draws into
 */
function keepFocus(page: Element): void {
  let last: Element | null = null;
  page.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : null;
  });
  new MutationObserver(() => {
    // A closing dialog gives the focus back to its opener in the next frame, before this.
    if (last?.isConnected === false) requestAnimationFrame(returnToContent);
  }).observe(page, { childList: true, subtree: true });

  function returnToContent(): void {
    if (last?.isConnected !== false) return;
    last = null;
    if (document.activeElement !== document.body) return;
    // Behind an open dialog nothing can have the focus.
    const dialog = document.querySelector<HTMLElement>("dialog[open] button");
    // The content is longer than a phone: its top would cover the warnings above it.
    (dialog ?? document.getElementById("content"))?.focus({ preventScroll: true });
  }
}
