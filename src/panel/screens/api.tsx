import { useQuery } from "../api.ts";
import { apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { Pending } from "../notice.tsx";

/** The parts of an OpenAPI document that are shown. */
interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly description?: string;
  }[];
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
}

/** The operations of the API, from the daemon's own OpenAPI document. */
export function ApiScreen() {
  const path = apiPath("/openapi.json");
  const { response, error, reload } = useQuery<OpenApi>(path);
  if (!response)
    return (
      <>
        <h1>{t("nav.api")}</h1>
        <Pending error={error} reload={reload} />
      </>
    );
  const { info, paths } = response.body;
  const operations = Object.entries(paths).flatMap(([address, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ address, method, operation })),
  );
  return (
    <>
      <h1>{t("nav.api")}</h1>
      <p lang="en">{`${info.title} ${info.version}. ${info.description ?? ""}`}</p>
      <p>
        {t("api.document")} <code>{path}</code>
      </p>
      {operations.map(({ address, method, operation }) => (
        <section class="card" key={`${method} ${address}`} lang="en">
          <h2>
            <code>{`${method.toUpperCase()} ${address}`}</code>
          </h2>
          <p>{operation.summary}</p>
          <Details operation={operation} />
        </section>
      ))}
    </>
  );
}

function Details({ operation: { parameters = [], responses = {} } }: { readonly operation: Operation }) {
  const named = parameters.filter(({ name }) => name !== undefined);
  return (
    <details>
      <summary lang={undefined}>{t("objectives.details")}</summary>
      <dl class="facts">
        {named.map(({ name, in: place, description }) => (
          <div key={`${place} ${name}`}>
            <dt>
              <code>{name}</code> {place}
            </dt>
            <dd>{description ?? "–"}</dd>
          </div>
        ))}
        {Object.entries(responses).map(([status, { description }]) => (
          <div key={status}>
            <dt>{status}</dt>
            <dd>{description ?? "–"}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
