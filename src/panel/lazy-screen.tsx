import type { ComponentType } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { beginLoading, connections } from "./api.ts";
import { later } from "./clock.ts";
import { REQUEST_TIMEOUT_MS, ApiError } from "./http.ts";
import { t } from "./i18n.ts";
import { liveness, status } from "./live-updates.ts";
import { Pending } from "./notice.tsx";

/**
 * Loads the script of a screen when the screen is opened.
 * @param load the same function on every render
 * @param isPart of a screen: nothing is shown until it is loaded
 * @param needsState whether it says something about the site, and is shown once the state of the site is known
 */
export function LazyScreen({
  load,
  isPart = false,
  needsState = false,
}: {
  readonly load: () => Promise<ComponentType>;
  readonly isPart?: boolean;
  readonly needsState?: boolean;
}) {
  const [result, setResult] = useState<{ readonly Screen?: ComponentType } | undefined>(undefined);
  useEffect(() => {
    let isShown = true;
    const show = (next: typeof result): void => {
      if (isShown) setResult(next);
    };
    setResult(undefined);
    const fail = (): void => show({});
    const stop = later(REQUEST_TIMEOUT_MS, fail);
    void load()
      .then((Screen) => show({ Screen }), fail)
      .finally(stop);
    return () => {
      isShown = false;
      stop();
    };
  }, [load]);
  const isPending = result === undefined;
  const hasFailed = result !== undefined && !result.Screen;
  const connection = connections.value;
  useEffect(() => {
    if (hasFailed && !isPart && connection > 1) reloadPage();
  }, [connection]);
  // Ends after the queries of the screen have begun: its effects run before those around it.
  useLayoutEffect(() => (isPending ? beginLoading() : undefined), [isPending]);
  if (!result) return isPart ? null : <Loading />;
  if (needsState && !status.value) return <StateUnknown />;
  return result.Screen ? <result.Screen /> : <NotLoaded isPart={isPart} />;
}

/** A screen before its content: with a heading, by which screen readers find it. */
export function Loading() {
  return (
    <>
      <h1 class="unseen">{t("app.loading")}</h1>
      <Pending error={undefined} reload={reloadPage} />
    </>
  );
}

/** A screen about the site before the state of the site is known, or while the daemon does not say it. */
export function StateUnknown() {
  return liveness.value === "lost" ? <NotLoaded /> : <Loading />;
}

/** Reloads the page: browsers do not retry a failed script, and an upgrade changes its name. */
export function NotLoaded({ isPart = false }: { readonly isPart?: boolean }) {
  return (
    <>
      {!isPart && <h1 class="unseen">{t("live.lost")}</h1>}
      <Pending error={new ApiError(0, "")} reload={reloadPage} />
    </>
  );
}

function reloadPage(): void {
  location.reload();
}
