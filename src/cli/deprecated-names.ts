/** Names of an earlier release, accepted for one release; the help does not list them. */
const RENAMED: readonly {
  readonly command: readonly string[];
  readonly from: string;
  readonly to: string;
}[] = [
  { command: ["zones"], from: "import-check", to: "replay" },
  { command: ["keys"], from: "forget", to: "revoke-previous" },
  { command: ["objectives", "pull"], from: "--accept-loss", to: "--accept-removals" },
  { command: ["init"], from: "--questions", to: "--template" },
];

/**
 * Replaces deprecated commands and options by their current names.
 * @param argv the arguments after the program's name
 * @param warn called with one line for each deprecated name
 */
export function withCurrentNames(argv: readonly string[], warn: (line: string) => void): string[] {
  const words = argv.filter((argument) => !argument.startsWith("-"));
  const current = [...argv];
  for (const { command, from, to } of RENAMED) {
    if (command.some((word, index) => words[index] !== word)) continue;
    const isOption = from.startsWith("--");
    if (!isOption && words[command.length] !== from) continue;
    const index = current.indexOf(from);
    if (index < 0) continue;
    current[index] = to;
    const prefix = `santinela ${command.join(" ")}`;
    warn(`${prefix} ${from} is deprecated: use ${prefix} ${to}`);
  }
  return current;
}
