import { ConfirmDialog } from "../dialog.tsx";
import { t } from "../i18n.ts";

/** The site of a one-time code, and the objectives that it protects. */
export interface Invited {
  readonly site: string;
  readonly objectives: readonly string[];
  /** Confirms that another device takes over the account of an enrolled site. */
  readonly transfer?: true;
}

/** Asks before a code is created for a site that is enrolled: the device that uses it takes the account from the present one. */
export function CodeTransfer({
  invited,
  issue,
  close,
}: {
  readonly invited: Invited;
  readonly issue: (invited: Invited) => Promise<void>;
  readonly close: () => void;
}) {
  return (
    <ConfirmDialog
      title={t("access.transferTitle", { site: invited.site })}
      action={t("access.inviteDo")}
      isDanger
      act={() => issue({ ...invited, transfer: true })}
      close={close}
    >
      <p>{t("access.transferText")}</p>
    </ConfirmDialog>
  );
}
