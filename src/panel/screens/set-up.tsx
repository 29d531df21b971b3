import { Form, TextField, textOf } from "../field.tsx";
import { say } from "../language.ts";
import { NewPassword, newPasswordIn } from "../password.tsx";
import { go } from "../place.ts";
import { setUp, standing } from "../session.ts";
import { Trouble, useTrouble } from "../trouble.tsx";

/** The first screen of a new installation: whoever has the code makes its administrator their own. */
export function SetUp() {
  const [trouble, run] = useTrouble();
  const claim = async (fields: FormData): Promise<void> => {
    await setUp(textOf(fields, "code"), textOf(fields, "email"), newPasswordIn(fields));
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
        <NewPassword />
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
