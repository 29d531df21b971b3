import { useLayoutEffect, useState } from "preact/hooks";
import type { PersonView } from "../../site/administration-view.ts";
import { Act } from "../act.tsx";
import { t } from "../i18n.ts";
import { useUnsavedInput } from "../unsaved.tsx";

/** The roles of an account, the usual one for a new account first. */
export const ROLES: readonly PersonView["role"][] = ["operator", "administrator", "viewer"];

/**
 * The role of an account. Choosing another one in the list changes nothing yet: an arrow key chooses each role that it passes, and
 * each change signs the user of the account out.
 * @param change called with the chosen role once its button is pressed
 */
export function AccountRole({
  person: { email, role },
  change,
}: {
  readonly person: PersonView;
  readonly change: (role: PersonView["role"]) => void;
}) {
  const [chosen, setChosen] = useState(role);
  // It has been changed, here or by another administrator.
  useLayoutEffect(() => setChosen(role), [role]);
  const isChanged = chosen !== role;
  useUnsavedInput(() => isChanged);
  return (
    <div class="row">
      <select
        aria-label={`${t("accounts.role")} ${email}`}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value as PersonView["role"])}
      >
        {ROLES.map((one) => (
          <option key={one} value={one} selected={one === chosen}>
            {t(`role.${one}`)}
          </option>
        ))}
      </select>
      {isChanged && (
        <>
          <Act
            class="main"
            aria-label={`${t("accounts.changeRole")} ${email}`}
            onClick={() => change(chosen)}
          >
            {t("accounts.changeRole")}
          </Act>
          <button type="button" onClick={() => setChosen(role)}>
            {t("app.cancel")}
          </button>
        </>
      )}
    </div>
  );
}
