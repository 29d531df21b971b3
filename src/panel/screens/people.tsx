import type { PersonView } from "../../http/site/account-view.ts";
import { ask, useAnswer } from "../api.ts";
import { Badge } from "../badge.tsx";
import { Choice, Form, TextField, textOf } from "../field.tsx";
import { say } from "../language.ts";
import { attempt, Pending, tell } from "../notice.tsx";
import { Password } from "../password.tsx";
import { account } from "../session.ts";
import { Table, type Column } from "../table.tsx";

const ROLES: readonly PersonView["role"][] = ["operator", "administrator", "viewer"];

/** Who may sign in, and as what. */
export function People() {
  const { answer, refusal, askAgain } = useAnswer<PersonView[]>("/site/accounts");
  const change = (email: string, body: object): Promise<boolean> =>
    attempt(async () => {
      await ask(`/site/accounts/${encodeURIComponent(email)}`, { method: "PUT", body });
      tell(say("people.changed", { email }));
    }).finally(askAgain);
  const add = async (fields: FormData): Promise<void> => {
    const email = textOf(fields, "email");
    const body = { email, role: textOf(fields, "role"), password: textOf(fields, "password") };
    await attempt(async () => {
      await ask("/site/accounts", { method: "POST", body });
      tell(say("people.added", { email }));
    });
    askAgain();
  };
  return (
    <section class="below">
      <h2>{say("people.title")}</h2>
      {answer ? (
        <Table
          caption={say("people.title")}
          columns={columns(change)}
          rows={answer.body}
          keyOf={({ email }) => email}
        />
      ) : (
        <Pending refusal={refusal} askAgain={askAgain} />
      )}
      <details>
        <summary>{say("people.add")}</summary>
        <p>{say("people.addText")}</p>
        <Form onSubmit={add}>
          <div class="grid">
            <TextField
              label={say("signIn.email")}
              name="email"
              type="email"
              autocomplete="off"
              maxLength={254}
              required
            />
            <Password name="password" label={say("people.password")} isNew />
            <Choice
              label={say("people.role")}
              name="role"
              initial="operator"
              options={ROLES.map((role) => [role, say(`role.${role}`)])}
            />
          </div>
          <button>{say("people.addDo")}</button>
        </Form>
      </details>
    </section>
  );
}

function columns(change: (email: string, body: object) => Promise<boolean>): Column<PersonView>[] {
  return [
    { key: "email", title: say("signIn.email"), cell: ({ email }) => email },
    {
      key: "role",
      title: say("people.role"),
      cell: ({ email, role }) =>
        email === account.value?.email ? (
          say(`role.${role}`)
        ) : (
          <select
            aria-label={`${say("people.role")} ${email}`}
            value={role}
            onChange={(event) => void change(email, { role: event.currentTarget.value })}
          >
            {ROLES.map((one) => (
              <option key={one} value={one} selected={one === role}>
                {say(`role.${one}`)}
              </option>
            ))}
          </select>
        ),
    },
    {
      key: "state",
      title: say("record.status"),
      cell: ({ disabled }) =>
        disabled ? (
          <Badge tone="bad">{say("people.out")}</Badge>
        ) : (
          <Badge tone="good">{say("people.in")}</Badge>
        ),
    },
    {
      key: "actions",
      title: say("zones.actions"),
      cell: ({ email, disabled }) =>
        email === account.value?.email ? (
          "–"
        ) : (
          <button
            type="button"
            aria-label={`${say(disabled ? "people.letIn" : "people.lockOut")} ${email}`}
            onClick={() => void change(email, { disabled: !disabled })}
          >
            {say(disabled ? "people.letIn" : "people.lockOut")}
          </button>
        ),
    },
  ];
}
