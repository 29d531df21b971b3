import type { Command } from "commander";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `user`, `keys`, `cert` and `factory-reset`: who may come in, and how they know where they are. */
export function addAccessCommands(root: Command, terminal: Terminal): void {
  addUserCommands(root, terminal);
  addKeyCommands(root, terminal);
  withConfig(
    root
      .command("factory-reset")
      .description("remove all records, accounts, keys and certificates; the daemon must be stopped"),
  )
    .option("--yes", "really do it")
    .action(async ({ config, yes }: ConfigOption & { yes?: boolean }) => {
      const { factoryReset } = await import("./factory-reset.ts");
      await factoryReset(await load(terminal, config), { yes: yes === true }, terminal);
    });
  withConfig(root.command("cert").description("show the local API's certificate; make what is missing of it"))
    .option("--renew", "make a new certificate, of the same authority")
    .option("--ca", "print the authority's certificate, to be installed on telephones and computers")
    .option("--json", "print JSON")
    .action(
      async ({
        config,
        renew,
        ca,
        json,
      }: ConfigOption & Record<"renew" | "ca" | "json", true | undefined>) => {
        const { cert } = await import("./cert.ts");
        const wanted = { renew: renew === true, ca: ca === true, json: json === true };
        await cert(await load(terminal, config), wanted, terminal);
      },
    );
}

function addUserCommands(root: Command, terminal: Terminal): void {
  const user = root.command("user").description("accounts that people and clients sign in with");
  const named = (name: string, description: string): Command =>
    withConfig(user.command(name).description(description)).requiredOption(
      "--email <address>",
      "the account's address",
    );

  named("add", "add an account")
    .requiredOption("--role <role>", "administrator, operator or viewer")
    .option("--password-stdin", "read the password from standard input")
    .action(
      async ({
        config,
        ...options
      }: ConfigOption & { email: string; role: string; passwordStdin?: boolean }) => {
        const { userAdd } = await import("./user.ts");
        await userAdd(await load(terminal, config), options, terminal);
      },
    );
  withConfig(user.command("list").description("list the accounts"))
    .option("--json", "print JSON")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { userList } = await import("./user.ts");
      await userList(await load(terminal, config), { json: json === true }, terminal);
    });
  named("passwd", "set a new password; the account must sign in again")
    .option("--password-stdin", "read the password from standard input")
    .action(async ({ config, ...options }: ConfigOption & { email: string; passwordStdin?: boolean }) => {
      const { userPassword } = await import("./user.ts");
      await userPassword(await load(terminal, config), options, terminal);
    });
  named("role", "give an account another role; it must sign in again")
    .requiredOption("--role <role>", "administrator, operator or viewer")
    .action(async ({ config, ...options }: ConfigOption & { email: string; role: string }) => {
      const { userRole } = await import("./user.ts");
      await userRole(await load(terminal, config), options, terminal);
    });
  named("objectives", "set which objectives the lists show an account; it must sign in again")
    .option("--only <objectives...>", "these alone, each as kind/id")
    .option("--all", "all of them")
    .action(
      async ({ config, ...options }: ConfigOption & { email: string; only?: string[]; all?: boolean }) => {
        const { userObjectives } = await import("./user.ts");
        await userObjectives(await load(terminal, config), options, terminal);
      },
    );
  named("disable", "lock an account out at once")
    .option("--undo", "let it in again")
    .action(async ({ config, email, undo }: ConfigOption & { email: string; undo?: boolean }) => {
      const { userDisable } = await import("./user.ts");
      await userDisable(await load(terminal, config), { email, disabled: undo !== true }, terminal);
    });
}

function addKeyCommands(root: Command, terminal: Terminal): void {
  const keys = root.command("keys").description("the key that tokens are signed with");
  withConfig(
    keys
      .command("rotate")
      .description("make a new key; tokens of the old one stay valid until it is forgotten"),
  ).action(async ({ config }: ConfigOption) => {
    const { rotateKey } = await import("./keys.ts");
    rotateKey(await load(terminal, config), terminal);
  });
  withConfig(keys.command("forget").description("forget the previous key; its tokens end")).action(
    async ({ config }: ConfigOption) => {
      const { revokeKey } = await import("./keys.ts");
      revokeKey(await load(terminal, config), terminal);
    },
  );
}
