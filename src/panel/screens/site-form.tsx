import { useId, useState } from "preact/hooks";
import type { ConfiguredZonesView } from "../../site/configuration-view.ts";
import { useQuery } from "../api.ts";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { Choice, Form, TextField, textOf } from "../field.tsx";
import { t } from "../i18n.ts";
import { status } from "../live-updates.ts";
import { go } from "../route.ts";
import { pendingChange, propose, type SiteText, type ZoneChange } from "../zone-draft.ts";

/** Names that no person has given: of a new package, and of a configuration without one. */
const UNNAMED: readonly string[] = ["New site", "Site"];
const LOCALES = ["ro", "en"] as const;

/** Asks a new installation for its name, if that can be changed here. */
export function NameOfNewSite() {
  const isUnnamed = UNNAMED.includes(status.value?.site.name ?? "");
  return isUnnamed ? <EditedSite back="#/setup" isNew /> : null;
}

/** Name, time zone and language of the site; nothing if they can be changed only in the file. */
export function SiteForm() {
  return <EditedSite back="#/settings" isNew={false} />;
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
  const title = useId();
  const [problem, run] = useErrorMessage();
  const [timezone, setTimezone] = useState(site.timezone);
  const [locale, setLocale] = useState(site.locale);
  const review = (fields: FormData): Promise<void> =>
    run(async () => {
      const wanted = { name: textOf(fields, "site-name").trim(), timezone, locale };
      const changes = (): readonly ZoneChange[] => [{ action: "site", site: differing(site, wanted) }];
      const proposed = await propose(changes);
      pendingChange.value = { ...proposed, wanted: changes, forget: () => {}, zoneIds: [], back, next: back };
      go("#/zones/review");
    });
  return (
    <section class="card" aria-labelledby={title}>
      <h2 id={title}>{t(isNew ? "site.ask" : "guide.site")}</h2>
      {isNew && <p>{t("site.askText")}</p>}
      <Form onSubmit={review}>
        <TextField
          label={t("question.site-name")}
          name="site-name"
          initial={isNew ? "" : site.name}
          maxLength={100}
          required
        />
        {!isNew && (
          <>
            <Choice
              label={t("question.timezone")}
              name="site-timezone"
              value={timezone}
              options={timeZones(site.timezone).map((zone) => [zone, zone])}
              onChange={setTimezone}
            />
            <Choice
              label={t("question.language")}
              name="site-locale"
              value={locale}
              options={LOCALES.map((one) => [one, t(`choice.language.${one}`)])}
              onChange={setLocale}
            />
          </>
        )}
        <ErrorMessage text={problem} />
        <button class={isNew ? "main" : ""}>{t("zoneForm.review")}</button>
      </Form>
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
