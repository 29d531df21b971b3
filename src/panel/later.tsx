import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorMessage } from "./error-message.tsx";
import { t } from "./i18n.ts";

/**
 * A screen whose script is loaded when it is opened.
 * @param load always the same function for the same screen
 */
export function Later({ load }: { readonly load: () => Promise<ComponentType> }) {
  const [found, setFound] = useState<{ readonly Screen?: ComponentType } | undefined>(undefined);
  useEffect(() => {
    let isShown = true;
    const show = (next: typeof found): void => {
      if (isShown) setFound(next);
    };
    setFound(undefined);
    load().then(
      (Screen) => show({ Screen }),
      () => show({}),
    );
    return () => {
      isShown = false;
    };
  }, [load]);
  if (!found) return <p class="quiet">{t("app.loading")}</p>;
  return found.Screen ? <found.Screen /> : <NotLoaded />;
}

/** A browser does not ask again for a script that it could not load; and after an upgrade the script has another name. */
function NotLoaded() {
  return (
    <>
      <ErrorMessage text={t("app.noAnswer")} />
      <button type="button" onClick={() => location.reload()}>
        {t("app.retry")}
      </button>
    </>
  );
}
