import { Form, TextField, textOf } from "../field.tsx";
import { say } from "../language.ts";
import { go } from "../place.ts";
import { setUp, standing } from "../session.ts";
import { Refusal } from "../wire.ts";
import { Password, Trouble, useTrouble } from "./sign-in.tsx";

/** The first screen of a new installation: whoever has the code makes its administrator their own. */
export function SetUp() {
  const [trouble, run] = useTrouble();
  const claim = async (fields: FormData): Promise<void> => {
    const password = textOf(fields, "new");
    if (password !== textOf(fields, "again")) throw new Refusal(400, say("password.different"));
    await setUp(textOf(fields, "code"), textOf(fields, "email"), password);
    go("#/setup");
  };
  return (
    <section class="narrow">
      <h1>{say("setup.title")}</h1>
      <p>{say("setup.text")}</p>
      <Form onSubmit={(fields) => run(() => claim(fields))}>
        <TextField
          label={say("setup.code")}
          name="code"
          autocomplete="one-time-code"
          hint={say("setup.codeHint")}
          maxLength={100}
          required
        />
        <TextField label={say("setup.email")} name="email" type="email" autocomplete="username" required />
        <Password name="new" label={say("password.new")} isNew hint={say("password.rule")} />
        <Password name="again" label={say("password.again")} isNew />
        <Trouble text={trouble} />
        <button class="main">{say("setup.do")}</button>
        <button
          type="button"
          onClick={() => {
            standing.value = "out";
          }}
        >
          {say("setup.signIn")}
        </button>
      </Form>
    </section>
  );
}
