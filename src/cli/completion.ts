import { allCommands, type CommandNode } from "./command-tree.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * Returns the completion script of a shell, generated from the command tree. The script is self-contained: starting
 * Node.js at each key press would be too slow on a Raspberry Pi.
 */
export function completionScript(shell: Shell, root: CommandNode): string {
  const commands = allCommands(root).map((command) => completionPoint(command, root));
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

/** A command and what may follow it. */
interface CompletionPoint {
  /** Command words joined by slashes. */
  readonly name: string;
  readonly words: readonly { readonly word: string; readonly description: string }[];
  readonly options: readonly {
    readonly name: string;
    readonly description: string;
    readonly value: string | null;
  }[];
  /** Whether a file name may follow. */
  readonly takesFile: boolean;
}

function completionPoint(
  { path, commands, options, arguments: parameters }: CommandNode,
  root: CommandNode,
): CompletionPoint {
  const choices = parameters.flatMap((argument) =>
    argument.choices.map((word) => [word, argument.description]),
  );
  const inner = commands.map((command) => [command.path.at(-1) ?? "", command.description]);
  const help = { name: "--help", description: "show the help of this command", value: null };
  const general = path.length === 0 ? [] : root.options.filter(({ name }) => name === "--no-input");
  return {
    name: path.join("/"),
    words: [...inner, ...choices].map(([word = "", description = ""]) => ({ word, description })),
    options: [...options, ...general, help],
    takesFile: parameters.some(({ name }) => name === "file"),
  };
}

/** Options with a value: those that take a file, and the others. */
function valueOptions(points: readonly CompletionPoint[]): { files: string[]; others: string[] } {
  const all = points.flatMap(({ options }) => options).filter(({ value }) => value !== null);
  const names = (isFile: boolean): string[] => [
    ...new Set(all.filter(({ value }) => (value === "file") === isFile).map(({ name }) => name)),
  ];
  return { files: names(true), others: names(false) };
}

function bashScript(points: readonly CompletionPoint[]): string {
  const { files, others } = valueOptions(points);
  const known = points.filter(({ name }) => name !== "").map(({ name }) => name);
  const cases = points.map(({ name, words, options, takesFile }) => {
    const all = [...words.map(({ word }) => word), ...options.map((option) => option.name)];
    return `    ${quoted(name)}) words=${quoted(all.join(" "))}${takesFile ? "; files=yes" : ""} ;;`;
  });
  return `# Completion of santinela for bash. Add to ~/.bashrc: eval "$(santinela completion bash)"
_santinela() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} place= skip= words= files= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$skip" ]; then skip=; continue; fi
    case $word in ${[...files, ...others].join("|")}) skip=yes; continue ;; esac
    case "\${place:+$place/}$word" in
      ${known.join("|")}) place="\${place:+$place/}$word" ;;
    esac
  done
  case $previous in
    ${files.join("|")}) files=yes ;;
    ${others.join("|")}) COMPREPLY=(); return ;;
    *) case $place in
${cases.join("\n")}
    esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [ -z "$files" ] || compgen -f -- "$current")
  [ -z "$files" ] || compopt -o filenames 2>/dev/null
}
complete -F _santinela santinela
`;
}

function zshScript(points: readonly CompletionPoint[]): string {
  const { files, others } = valueOptions(points);
  const known = points.filter(({ name }) => name !== "").map(({ name }) => name);
  const cases = points.map(({ name, words, options, takesFile }) => {
    const all = [...words, ...options.map((option) => ({ ...option, word: option.name }))].map(
      ({ word, description }) => quoted(`${word}:${description.replaceAll(":", "\\:")}`),
    );
    return `    ${quoted(name)}) follow=(${all.join(" ")})${takesFile ? "; _files" : ""} ;;`;
  });
  return `#compdef santinela
# Completion of santinela for zsh. Add to ~/.zshrc, after compinit: source <(santinela completion zsh)
_santinela() {
  local place= skip= word
  local -a follow
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $skip ]]; then skip=; continue; fi
    case $word in (${[...files, ...others].join("|")}) skip=yes; continue ;; esac
    case "\${place:+$place/}$word" in
      (${known.join("|")}) place="\${place:+$place/}$word" ;;
    esac
  done
  case \${words[CURRENT-1]} in
    (${files.join("|")}) _files; return ;;
    (${others.join("|")}) return ;;
  esac
  case $place in
${cases.map((line) => line.replace("    '", "    ('")).join("\n")}
  esac
  _describe 'santinela' follow
}
if [[ \${funcstack[1]} == _santinela ]]; then _santinela "$@"; else compdef _santinela santinela; fi
`;
}

function fishScript(points: readonly CompletionPoint[]): string {
  const { files, others } = valueOptions(points);
  const known = points.filter(({ name }) => name !== "").map(({ name }) => name);
  const lines = points.flatMap(({ name, words, options, takesFile }) => {
    const at = `complete -c santinela -n ${quoted(`__santinela_at '${name}'`)}`;
    return [
      ...words.map(({ word, description }) => `${at} -a ${quoted(word)} -d ${quoted(description)}`),
      ...options.map(
        (option) =>
          `${at} -l ${option.name.slice(2)} -d ${quoted(option.description)}${valueFlag(option.value)}`,
      ),
      ...(takesFile ? [`${at} -F`] : []),
    ];
  });
  return `# Completion of santinela for fish. santinela completion fish > ~/.config/fish/completions/santinela.fish
function __santinela_at
    set -l place
    set -l skip
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip
            continue
        end
        if contains -- $word ${[...files, ...others].join(" ")}
            set skip yes
            continue
        end
        set -l further (string join / -- $place $word)
        if contains -- $further ${known.join(" ")}
            set place $further
        end
    end
    test "$place" = "$argv[1]"
end
complete -c santinela -f
${lines.join("\n")}
`;
}

function valueFlag(value: string | null): string {
  if (value === null) return "";
  return value === "file" ? " -r -F" : " -x";
}

/** Quotes a text for all three shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
