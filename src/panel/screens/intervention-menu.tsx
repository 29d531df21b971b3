import type { Intervention, Status } from "../../generated/types.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import type { IconName } from "../icons.ts";
import { Menu } from "../menu.tsx";
import { runWithErrorNotice } from "../notice.tsx";
import { setStatus, useClosing } from "./intervention-closing.tsx";

const STATUS_ICONS: Readonly<Record<Status, IconName>> = {
  planned: "clock",
  in_progress: "play",
  done: "check",
};

/** The actions for an intervention in a list: to edit it, or to give it another status. */
export function InterventionMenu({
  record: { id, status: current },
  done,
}: {
  readonly record: Intervention;
  readonly done: () => void;
}) {
  const { changeTo, question } = useClosing(id);
  const set = async (status: Status): Promise<void> => {
    await runWithErrorNotice(() => setStatus(id, status));
    done();
  };
  return (
    <>
      <Menu label={t("app.actionsFor", { name: `#${id}` })}>
        <a class="button" href={`#/interventions/${id}/edit`}>
          <Icon name="pencil" />
          {t("interventions.edit")}
        </a>
        {(["planned", "in_progress", "done"] as const)
          .filter((one) => one !== current)
          .map((one) => (
            <button type="button" key={one} onClick={() => void changeTo(one, () => set(one))}>
              <Icon name={STATUS_ICONS[one]} />
              {`${t("record.status")}: ${t(`status.${one}`)}`}
            </button>
          ))}
      </Menu>
      {question}
    </>
  );
}
