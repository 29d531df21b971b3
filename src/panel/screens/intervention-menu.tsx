import type { Intervention, Status } from "../../generated/types.ts";
import { Act } from "../act.tsx";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import type { IconName } from "../icons.ts";
import { Menu } from "../menu.tsx";
import { runWithErrorNotice } from "../notice.tsx";
import { setStatus, type ChangeTo } from "./intervention-closing.tsx";

const STATUS_ICONS: Readonly<Record<Status, IconName>> = {
  planned: "clock",
  in_progress: "play",
  done: "check",
};

/** What the menus of a list do. */
export interface MenuChanges {
  /** Its question belongs to the list: the row may leave the page meanwhile. */
  readonly changeTo: ChangeTo;
  /** Called after a change. */
  readonly done: () => void;
}

/** The actions for an intervention in a list: to edit it, or to give it another status. */
export function InterventionMenu({
  record: { id, name, status: current },
  changeTo,
  done,
}: MenuChanges & { readonly record: Intervention }) {
  const set = async (status: Status): Promise<void> => {
    await runWithErrorNotice(() => setStatus(id, status));
    done();
  };
  return (
    <Menu label={t("app.actionsFor", { name: `#${id}` })}>
      <p class="quiet">{`#${id} ${name}`}</p>
      <a class="button" href={`#/interventions/${id}/edit`}>
        <Icon name="pencil" />
        {t("interventions.edit")}
      </a>
      {(["planned", "in_progress", "done"] as const)
        .filter((one) => one !== current)
        .map((one) => (
          <Act key={one} onClick={() => void changeTo(id, one, () => set(one))}>
            <Icon name={STATUS_ICONS[one]} />
            {`${t("record.status")}: ${t(`status.${one}`)}`}
          </Act>
        ))}
    </Menu>
  );
}
