import { t } from "./i18n.ts";
import { Mark } from "./icon.tsx";
import { LazyScreen } from "./lazy-screen.tsx";
import { liveness, status } from "./live-updates.ts";

/* Not needed to see whether something is wrong. */
const userMenu = () => import("./user-menu.tsx").then((part) => part.UserMenu);

/** The name of the site, how current the page is, and the menu of the user. */
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
      <div class="user">
        <LazyScreen load={userMenu} isPart />
      </div>
    </header>
  );
}
