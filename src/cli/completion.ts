import { everyCommand, type CommandShape } from "./command-tree.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The completion script of a shell, made from the program's tree. Each script walks the words that are there already
 * down the tree, over the values of options, and offers what may follow; nothing of the program runs at a key press,
 * because starting Node takes a Pi longer than a person waits for a word.
 */
export function completionScript(shell: Shell, root: CommandShape): string {
  const commands = everyCommand(root).map((command) => placeOf(command, root));
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

/** A point of the tree and what may follow there. */
interface CompletionPoint {
  /** Its words joined by slashes. */
  readonly name: string;
  readonly words: readonly { readonly word: string; readonly description: string }[];
  readonly options: readonly {
    readonly name: string;
    readonly description: string;
    readonly value: string | null;
  }[];
  /** Whether a file's name may stand there. */
  readonly takesFile: boolean;
}

function placeOf(
  { path, commands, options, arguments: taken }: CommandShape,
  root: CommandShape,
): CompletionPoint {
  const choices = taken.flatMap((argument) => argument.choices.map((word) => [word, argument.description]));
  const inner = commands.map((command) => [command.path.at(-1) ?? "", command.description]);
  const help = { name: "--help", description: "show the help of this command", value: null };
  const general = path.length === 0 ? [] : root.options.filter(({ name }) => name === "--no-input");
  return {
    name: path.join("/"),
    words: [...inner, ...choices].map(([word = "", description = ""]) => ({ word, description })),
    options: [...options, ...general, help],
    takesFile: taken.some(({ name }) => name === "file"),
  };
}

/** Options whose value is a file, and all that take any value. */
function valueOptions(places: readonly CompletionPoint[]): { files: string[]; others: string[] } {
  const all = places.flatMap(({ options }) => options).filter(({ value }) => value !== null);
  const names = (isFile: boolean): string[] => [
    ...new Set(all.filter(({ value }) => (value === "file") === isFile).map(({ name }) => name)),
  ];
  return { files: names(true), others: names(false) };
}

function bashScript(places: readonly CompletionPoint[]): string {
  const { files, others } = valueOptions(places);
  const known = places.filter(({ name }) => name !== "").map(({ name }) => name);
  const cases = places.map(({ name, words, options, takesFile }) => {
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

function zshScript(places: readonly CompletionPoint[]): string {
  const { files, others } = valueOptions(places);
  const known = places.filter(({ name }) => name !== "").map(({ name }) => name);
  const cases = places.map(({ name, words, options, takesFile }) => {
    const all = [...words, ...options.map((option) => ({ ...option, word: option.name }))].map(
      ({ word, description }) => quoted(`${word}:${description.replaceAll(":", "\\:")}`),
    );
    return `    ${quoted(name)}) follow=(${all.join(" ")})${takesFile ? "; _files" : ""} ;;`;
  });
  return `#compdef santinela
# Completion of santinela for zsh. Add to ~/.zshrc, behind compinit: source <(santinela completion zsh)
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

function fishScript(places: readonly CompletionPoint[]): string {
  const { files, others } = valueOptions(places);
  const known = places.filter(({ name }) => name !== "").map(({ name }) => name);
  const lines = places.flatMap(({ name, words, options, takesFile }) => {
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

/** In single quotes, as all three shells read them; a quote inside leaves them for a moment. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
