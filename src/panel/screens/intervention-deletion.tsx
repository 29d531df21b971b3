import { useState } from "preact/hooks";
import type { Intervention } from "../../generated/types.ts";
import { Act } from "../act.tsx";
import { request } from "../api.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { status } from "../live-updates.ts";
import { Menu } from "../menu.tsx";
import { runWithErrorNotice, showNotice } from "../notice.tsx";
import { goFrom, listOf, route } from "../route.ts";

/** The menu with the deletion of an intervention, after a confirmation. @param etag of the version that was read */
export function Deletion({ record, etag }: { readonly record: Intervention; readonly etag: string }) {
  const [isAsked, setIsAsked] = useState(false);
  const remove = (): Promise<boolean> =>
    runWithErrorNotice(async () => {
      const here = route.value;
      const headers = { "If-Match": etag };
      await request(apiPath(`/interventii/${record.id}`), { method: "DELETE", headers });
      showNotice(t("interventions.deleted", { id: record.id }));
      goFrom(here, listOf("interventions"));
    });
  return (
    <>
      <Menu label={t("app.moreActions")}>
        <Act class="danger" onClick={() => setIsAsked(true)}>
          <Icon name="trash-2" />
          {t("interventions.delete")}
        </Act>
      </Menu>
      {isAsked && (
        <ConfirmDialog
          title={t("interventions.deleteTitle", { id: record.id })}
          action={t("interventions.deleteDo")}
          isDanger
          act={remove}
          close={() => setIsAsked(false)}
        >
          <p>
            {t(status.value?.role === "centre" ? "interventions.deleteAtCentre" : "interventions.deleteText")}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
