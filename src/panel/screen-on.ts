import { useEffect } from "preact/hooks";

/**
 * Keeps the screen of the device on while the component is shown: a page behind a dark screen gets no live updates. Browsers
 * allow it over TLS and on the device itself, and end it whenever the page is hidden.
 */
export function useScreenOn(): void {
  useEffect(() => {
    let isShown = true;
    let lock: WakeLockSentinel | undefined;
    const keep = async (): Promise<void> => {
      if (!("wakeLock" in navigator) || document.hidden) return;
      try {
        const next = await navigator.wakeLock.request("screen");
        if (isShown) lock = next;
        else await next.release();
      } catch {
        // Such as a phone that saves its battery: the screen goes dark as always.
      }
    };
    const keepOn = (): void => void keep();
    keepOn();
    document.addEventListener("visibilitychange", keepOn);
    return () => {
      isShown = false;
      document.removeEventListener("visibilitychange", keepOn);
      void lock?.release();
    };
  }, []);
}
