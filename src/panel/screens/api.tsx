import "../facts.css";
import "../api.css";
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
  const resources = new Map<string, { address: string; method: string; operation: Operation }[]>();
  for (const [address, methods] of Object.entries(paths)) {
    const resource = resourceOf(address);
    const others = resources.get(resource) ?? [];
    const own = Object.entries(methods).map(([method, operation]) => ({ address, method, operation }));
    resources.set(resource, [...others, ...own]);
  }
  return (
    <>
      <h1>{t("nav.api")}</h1>
      <p lang="en">{`${info.title} ${info.version}. ${info.description ?? ""}`}</p>
      <p>
        {t("api.document")} <code>{path}</code>
      </p>
      <div class="card operations">
        {[...resources].map(([resource, group]) => (
          <details key={resource} name="resource">
            <summary>
              <h2>
                <code>{resource}</code>
              </h2>{" "}
              <span class="quiet">{group.length}</span>
            </summary>
            {group.map(({ address, method, operation }) => (
              <details key={`${method} ${address}`} name="operation">
                <summary lang="en">
                  <code>{`${method.toUpperCase()} ${address}`}</code>
                  <span>{operation.summary}</span>
                </summary>
                <Details operation={operation} />
              </details>
            ))}
          </details>
        ))}
      </div>
    </>
  );
}

/** The first part of an address; below `/site`, where most operations are, the first two. */
function resourceOf(address: string): string {
  const [, first, second] = address.split("/");
  return first === "site" && second !== undefined ? `/site/${second}` : `/${first}`;
}

function Details({ operation: { parameters = [], responses = {} } }: { readonly operation: Operation }) {
  const named = parameters.filter(({ name }) => name !== undefined);
  return (
    <dl class="facts" lang="en">
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
  );
}
