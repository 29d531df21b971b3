import { useState } from "preact/hooks";
import type { PersonView } from "../../site/administration-view.ts";
import { Act } from "../act.tsx";
import { request, useQuery } from "../api.ts";
import { Badge } from "../badge.tsx";
import { Dialog } from "../dialog.tsx";
import { ErrorMessage } from "../error-message.tsx";
import { Form, TextField, formText } from "../field.tsx";
import { FormActions } from "../form-actions.tsx";
import { t } from "../i18n.ts";
import { Choice } from "../more-fields.tsx";
import { runWithErrorNotice, Pending, showNotice } from "../notice.tsx";
import { Password, usePasswordForm } from "../password.tsx";
import { account } from "../session.ts";
import { AccountRole, ROLES } from "./account-role.tsx";
import { InitialPassword, OwnPassword } from "./initial-password.tsx";
import { SettingsSection } from "./settings-section.tsx";
import { GuardUnsavedFields } from "../unsaved.tsx";
import { Table, type Column } from "../table.tsx";

/** What of an account is changed here. */
type Change = Partial<Pick<PersonView, "role" | "disabled">>;

/** A change that waits for the password. */
interface AskedChange {
  /** What its button says. */
  readonly action: string;
  readonly email: string;
  readonly wanted: Change;
  readonly before: Change;
}

/** Accounts and their roles. */
export function Accounts() {
  const { response, error, reload } = useQuery<PersonView[]>("/site/accounts");
  const [asked, setAsked] = useState<AskedChange | undefined>();
  const [reset, setReset] = useState<string | undefined>();
  const change = async (order: AskedChange, currentPassword: string): Promise<void> => {
    const { email, wanted, before } = order;
    try {
      await put(email, { ...wanted, currentPassword });
      const takeBackNow = (): Promise<void> =>
        takeBack(email, { ...before, currentPassword }).finally(reload);
      showNotice(t("accounts.changed", { email }), false, takeBackNow);
      // Until then the password stays for the next attempt.
      setAsked((open) => (open === order ? undefined : open));
    } finally {
      reload();
    }
  };
  return (
    <SettingsSection name="accounts" title="accounts.title">
      {response ? (
        <Table
          caption={t("accounts.title")}
          columns={columns(setAsked, setReset)}
          rows={response.body}
          keyOf={({ email }) => email}
        />
      ) : (
        <Pending error={error} reload={reload} />
      )}
      {asked && (
        <ChangeDialog
          asked={asked}
          change={(password) => change(asked, password)}
          close={() => setAsked(undefined)}
        />
      )}
      {reset !== undefined && <InitialPassword email={reset} close={() => setReset(undefined)} />}
      <AddAccount reload={reload} />
    </SettingsSection>
  );
}

/** @param reload reads the list again */
function AddAccount({ reload }: { readonly reload: () => void }) {
  const [problem, run, wrong] = usePasswordForm();
  const [added, setAdded] = useState(0);
  const add = async (fields: FormData): Promise<void> => {
    const email = formText(fields, "email");
    const body = {
      email,
      role: formText(fields, "role"),
      password: formText(fields, "password"),
      currentPassword: formText(fields, "currentPassword"),
    };
    await run(async () => {
      await request("/site/accounts", { method: "POST", body });
      showNotice(t("accounts.added", { email }));
      setAdded(added + 1);
    });
    reload();
  };
  return (
    <details>
      <summary>{t("accounts.add")}</summary>
      <p>{t("accounts.addText")}</p>
      <Form key={added} onSubmit={add}>
        <div class="grid">
          <TextField
            label={t("signIn.email")}
            name="email"
            type="email"
            autocomplete="off"
            maxLength={254}
            required
          />
          <Password name="password" label={t("accounts.password")} isNew />
          <Choice
            label={t("accounts.role")}
            name="role"
            initial="operator"
            options={ROLES.map((role) => [role, t(`role.${role}`)])}
          />
          <OwnPassword problem={wrong} />
        </div>
        <ErrorMessage text={problem} />
        <Act type="submit">{t("accounts.addDo")}</Act>
        <GuardUnsavedFields />
      </Form>
    </details>
  );
}

/** @throws ApiError */
async function put(email: string, body: Change & { readonly currentPassword: string }): Promise<void> {
  await request(`/site/accounts/${encodeURIComponent(email)}`, { method: "PUT", body });
}

/** Takes a change back, by its message; the screen with the account may have been left meanwhile. */
async function takeBack(...[email, before]: Parameters<typeof put>): Promise<void> {
  await runWithErrorNotice(async () => {
    await put(email, before);
    showNotice(t("accounts.changed", { email }));
  });
}

function ChangeDialog({
  asked: { action, email },
  change,
  close,
}: {
  readonly asked: AskedChange;
  readonly change: (currentPassword: string) => Promise<void>;
  readonly close: () => void;
}) {
  const [problem, run, wrong] = usePasswordForm();
  const submit = (fields: FormData): Promise<void> => run(() => change(formText(fields, "currentPassword")));
  return (
    <Dialog title={`${action}: ${email}`} onCancel={close}>
      <Form onSubmit={submit}>
        <OwnPassword problem={wrong} />
        <ErrorMessage text={problem} />
        <FormActions action={action} close={close} />
      </Form>
    </Dialog>
  );
}

function columns(ask: (asked: AskedChange) => void, reset: (email: string) => void): Column<PersonView>[] {
  return [
    { key: "email", title: t("signIn.email"), isLead: true, cell: ({ email }) => email },
    {
      key: "role",
      title: t("accounts.role"),
      cell: (person) =>
        person.email === account.value?.email ? (
          t(`role.${person.role}`)
        ) : (
          <AccountRole
            person={person}
            change={(role) =>
              ask({
                action: t("accounts.changeRole"),
                email: person.email,
                wanted: { role },
                before: { role: person.role },
              })
            }
          />
        ),
    },
    {
      key: "state",
      title: t("record.status"),
      cell: ({ disabled }) =>
        disabled ? (
          <Badge tone="fault">{t("accounts.disabled")}</Badge>
        ) : (
          <Badge tone="fine">{t("accounts.enabled")}</Badge>
        ),
    },
    {
      key: "actions",
      title: t("zones.actions"),
      cell: ({ email, disabled }) =>
        email === account.value?.email ? (
          <span class="quiet">{t("accounts.own")}</span>
        ) : (
          <span class="row">
            <Act
              aria-label={`${t(disabled ? "accounts.enable" : "accounts.disable")} ${email}`}
              onClick={() =>
                ask({
                  action: t(disabled ? "accounts.enable" : "accounts.disable"),
                  email,
                  wanted: { disabled: !disabled },
                  before: { disabled },
                })
              }
            >
              {t(disabled ? "accounts.enable" : "accounts.disable")}
            </Act>
            <Act aria-label={`${t("accounts.newPassword")}: ${email}`} onClick={() => reset(email)}>
              {t("accounts.newPassword")}
            </Act>
          </span>
        ),
    },
  ];
}
