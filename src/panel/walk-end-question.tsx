import { ConfirmDialog } from "./dialog.tsx";
import { t } from "./i18n.ts";
import { endNow, isEndAsked, namesAtEnd } from "./walk-banner.tsx";

/** Asks before the end of a walk test, with the zones that it dispatches. */
export function EndQuestion() {
  const names = namesAtEnd();
  const close = (): void => void (isEndAsked.value = false);
  return (
    <ConfirmDialog title={t("walk.endAsk")} action={t("walk.stop")} isDanger act={endNow} close={close}>
      {names.length > 0 && <p>{t("walk.endDispatches", { n: names.length, zones: names.join(", ") })}</p>}
    </ConfirmDialog>
  );
}
