import type { ComponentType } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { beginLoading } from "./api.ts";
import { ErrorMessage } from "./error-message.tsx";
import { t } from "./i18n.ts";

/**
 * Loads the script of a screen when the screen is opened.
 * @param load the same function on every render
 * @param isPart of a screen: nothing is shown until it is loaded
 */
export function Later({
  load,
  isPart = false,
}: {
  readonly load: () => Promise<ComponentType>;
  readonly isPart?: boolean;
}) {
  const [result, setResult] = useState<{ readonly Screen?: ComponentType } | undefined>(undefined);
  useEffect(() => {
    let isShown = true;
    const show = (next: typeof result): void => {
      if (isShown) setResult(next);
    };
    setResult(undefined);
    load().then(
      (Screen) => show({ Screen }),
      () => show({}),
    );
    return () => {
      isShown = false;
    };
  }, [load]);
  const isPending = result === undefined;
  // Ends after the queries of the screen have begun: its effects run before those around it.
  useLayoutEffect(() => (isPending ? beginLoading() : undefined), [isPending]);
  if (!result) return isPart ? null : <Loading />;
  return result.Screen ? <result.Screen /> : <NotLoaded />;
}

/** A screen before its content: with a heading, by which screen readers find it. */
export function Loading() {
  return (
    <>
      <h1 class="unseen">{t("app.loading")}</h1>
      <p class="quiet">{t("app.loading")}</p>
    </>
  );
}

/** Reloads the page: browsers do not retry a failed script, and an upgrade changes its name. */
function NotLoaded() {
  return (
    <>
      <ErrorMessage text={t("app.noResponse")} />
      <button type="button" onClick={() => location.reload()}>
        {t("app.retry")}
      </button>
    </>
  );
}
