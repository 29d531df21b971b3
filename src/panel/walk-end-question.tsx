import { useEffect } from "preact/hooks";
import { ConfirmDialog } from "./dialog.tsx";
import { t } from "./i18n.ts";
import { endNow, isEndAsked, namesAtEnd } from "./walk-change.tsx";

/** Asks before the end of a walk test, with the zones that it dispatches. */
export function EndQuestion() {
  // The test may end by its time while the user is asked: the next one begins without the question.
  useEffect(() => close, []);
  if (!isEndAsked.value) return null;
  const names = namesAtEnd();
  return (
    <ConfirmDialog title={t("walk.endAsk")} action={t("walk.stop")} isDanger act={endNow} close={close}>
      {names.length > 0 && <p>{t("walk.endDispatches", { n: names.length, zones: names.join(", ") })}</p>}
    </ConfirmDialog>
  );
}

function close(): void {
  isEndAsked.value = false;
}
