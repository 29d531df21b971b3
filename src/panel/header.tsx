import { t } from "./i18n.ts";
import { Icon, Mark } from "./icon.tsx";
import { LanguageChoice } from "./language-choice.tsx";
import { liveness, status } from "./live-updates.ts";
import { Menu } from "./menu.tsx";
import { leaveBy } from "./route.ts";
import { account, signOut } from "./session.ts";
import { ThemeChoice } from "./theme-choice.tsx";

/** The name of the site, how current the page is, and the menu of the user: language, theme, sign-out. */
export function Header({ isInside }: { readonly isInside: boolean }) {
  const name = isInside && status.value ? status.value.site.name : t("app.name");
  return (
    <header class="top">
      <Mark />
      <p class="name" title={name}>
        {name}
      </p>
      {isInside && (
        <span class={`live ${liveness.value}`} role="status">
          {t(`live.${liveness.value}`)}
        </span>
      )}
      <Menu label={t("app.userMenu")} icon="languages" staysOpen>
        {isInside && <small>{account.value?.email}</small>}
        <LanguageChoice />
        <ThemeChoice />
        {isInside && (
          <button type="button" onClick={() => leaveBy(signOut)}>
            <Icon name="x" />
            {t("app.signOut")}
          </button>
        )}
      </Menu>
    </header>
  );
}
