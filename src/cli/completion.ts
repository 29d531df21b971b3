import { allCommands, type CommandNode } from "./command-tree.ts";

/**
 * Returns the completion script for bash, generated from the command tree. The script is self-contained: starting Node.js
 * at each key press would be too slow on a Raspberry Pi.
 */
export function completionScript(root: CommandNode): string {
  const commands = allCommands(root);
  const known = commands.filter(({ path }) => path.length > 0).map(nameOf);
  const options = commands.flatMap((command) => command.options).filter(({ value }) => value !== null);
  const names = (isFile: boolean): string =>
    [...new Set(options.filter(({ value }) => (value === "file") === isFile).map(({ name }) => name))].join(
      "|",
    );
  const files = names(true);
  const others = names(false);
  return `# Completion of santinela for bash. Add to ~/.bashrc: eval "$(santinela completion bash)"
_santinela() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} place= skip= words= files= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$skip" ]; then skip=; continue; fi
    case $word in ${files}|${others}) skip=yes; continue ;; esac
    case "\${place:+$place/}$word" in
      ${known.join("|")}) place="\${place:+$place/}$word" ;;
    esac
  done
  case $previous in
    ${files}) files=yes ;;
    ${others}) COMPREPLY=(); return ;;
    *) case $place in
${commands.map((command) => caseOf(command, root)).join("\n")}
    esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [ -z "$files" ] || compgen -f -- "$current")
  [ -z "$files" ] || compopt -o filenames 2>/dev/null
}
complete -F _santinela santinela
`;
}

/** Command words joined by slashes. */
function nameOf({ path }: CommandNode): string {
  return path.join("/");
}

/** What may follow a command. */
function caseOf(command: CommandNode, root: CommandNode): string {
  const { path, commands, options, arguments: parameters } = command;
  const words = [
    ...commands.map((inner) => inner.path.at(-1) ?? ""),
    ...parameters.flatMap(({ choices }) => choices),
    ...options.map(({ name }) => name),
    ...(path.length === 0
      ? []
      : root.options.map(({ name }) => name).filter((name) => name === "--no-input")),
    "--help",
  ];
  const takesFile = parameters.some(({ name }) => name === "file");
  return `    ${quoted(nameOf(command))}) words=${quoted(words.join(" "))}${takesFile ? "; files=yes" : ""} ;;`;
}

/** Quotes a text for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
