import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorMessage } from "./error-message.tsx";
import { t } from "./i18n.ts";

/**
 * Loads the script of a screen when the screen is opened.
 * @param load the same function on every render
 */
export function Later({ load }: { readonly load: () => Promise<ComponentType> }) {
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
  if (!result) return <Loading />;
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
