import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { ConfiguredZonesView } from "../../site/configuration-view.ts";
import { Act } from "../act.tsx";
import { useQuery } from "../api.ts";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { Form, TextField } from "../field.tsx";
import { t } from "../i18n.ts";
import { status } from "../live-updates.ts";
import { Choice } from "../more-fields.tsx";
import { go, isAt, route } from "../route.ts";
import "../zone-input.ts";
import { SettingsSection } from "./settings-section.tsx";
import { pendingChange, propose, siteDraft, type SiteText, type ZoneChange } from "../zone-draft.ts";

/** Names that no person has given: of a new package, and of a configuration without one. */
const UNNAMED: readonly string[] = ["New site", "Site"];
const LOCALES = ["ro", "en"] as const;

/** Whether the site has no name of its own yet. */
export function isUnnamed(): boolean {
  return UNNAMED.includes(status.value?.site.name ?? "");
}

/** Asks a new installation for its name, if that can be changed here. */
export function NameOfNewSite() {
  return isUnnamed() ? <EditedSite back="#/setup" isNew /> : null;
}

/** Name, time zone and language of the site; nothing if they can be changed only in the file. */
export function SiteForm() {
  return <EditedSite back="#/settings?open=site" isNew={false} />;
}

function EditedSite({ back, isNew }: { readonly back: string; readonly isNew: boolean }) {
  const { response } = useQuery<ConfiguredZonesView>("/site/configuration/zones", status.value?.site.name);
  const site = response?.body;
  if (!site?.isWritable || site.mode === "file-only") return null;
  return <SiteFields key={site.hash} site={site.site} back={back} isNew={isNew} />;
}

function SiteFields({
  site,
  back,
  isNew,
}: {
  readonly site: ConfiguredZonesView["site"];
  readonly back: string;
  readonly isNew: boolean;
}) {
  const [problem, run] = useErrorMessage();
  const stored = isNew ? { ...site, name: "" } : site;
  const entered = siteDraft.value;
  const wanted = entered?.back === back ? entered.site : stored;
  const enter = (change: SiteText): void => {
    const next = { ...wanted, ...change };
    siteDraft.value = Object.keys(differing(stored, next)).length > 0 ? { back, site: next } : undefined;
  };
  const review = (): Promise<void> =>
    run(async () => {
      const changes = (): readonly ZoneChange[] => [
        { action: "site", site: differing(site, { ...wanted, name: wanted.name.trim() }) },
      ];
      const here = route.value;
      const proposed = await propose(changes);
      if (!isAt(here)) return;
      const of = siteDraft.value;
      const forget = (): void => {
        if (siteDraft.value === of) siteDraft.value = undefined;
      };
      pendingChange.value = { ...proposed, wanted: changes, of, forget, zoneIds: [], back, next: back };
      go("#/zones/review");
    });
  return (
    <Frame isNew={isNew}>
      {isNew && <p>{t("site.askText")}</p>}
      <Form onSubmit={review}>
        <TextField
          label={t("question.site-name")}
          name="site-name"
          value={wanted.name}
          maxLength={100}
          required
          onInput={({ currentTarget }) => enter({ name: currentTarget.value })}
        />
        {!isNew && (
          <>
            <Choice
              label={t("question.timezone")}
              name="site-timezone"
              value={wanted.timezone}
              options={timeZones(site.timezone).map((zone) => [zone, zone])}
              onChange={(timezone) => enter({ timezone })}
            />
            <Choice
              label={t("question.language")}
              name="site-locale"
              value={wanted.locale}
              options={LOCALES.map((one) => [one, t(`choice.language.${one}`)])}
              onChange={(locale) => enter({ locale })}
            />
          </>
        )}
        <ErrorMessage text={problem} />
        <Act type="submit" class={isNew ? "main" : ""}>
          {t("zoneForm.review")}
        </Act>
      </Form>
    </Frame>
  );
}

/** A subject of the settings, or the question of a new installation. */
function Frame({ isNew, children }: { readonly isNew: boolean; readonly children: ComponentChildren }) {
  const title = useId();
  if (!isNew)
    return (
      <SettingsSection name="site" title="guide.site">
        {children}
      </SettingsSection>
    );
  return (
    <section class="card" aria-labelledby={title}>
      <h2 id={title}>{t("site.ask")}</h2>
      {children}
    </section>
  );
}

function differing(site: ConfiguredZonesView["site"], wanted: ConfiguredZonesView["site"]): SiteText {
  return {
    ...(wanted.name === site.name ? {} : { name: wanted.name }),
    ...(wanted.timezone === site.timezone ? {} : { timezone: wanted.timezone }),
    ...(wanted.locale === site.locale ? {} : { locale: wanted.locale }),
  };
}

/** The time zones that the browser knows, and the one of the site. */
function timeZones(own: string): readonly string[] {
  const { supportedValuesOf } = Intl as { supportedValuesOf?: (key: "timeZone") => string[] };
  return [...new Set([...(supportedValuesOf?.("timeZone") ?? []), own])].sort();
}
