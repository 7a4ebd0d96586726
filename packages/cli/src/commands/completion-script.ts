import type { Command, Option } from 'commander'

/** A command as shell completion needs it, derived from the command tree. */
interface Node {
  /** Names of the command and its groups, empty for the program itself. */
  path: string
  /** Subcommands, and values of the first argument. */
  words: { name: string; description: string }[]
  /** Options of the command and of its parents. */
  options: { name: string; description: string; takesValue: boolean; choices: readonly string[] }[]
}

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Values for options with an open set of values, by option name: `--format`. */
export type CompletionValues = Readonly<Record<string, readonly string[]>>

/** Returns a shell script that completes commands, options and fixed values. */
export function completionScript(
  program: Command,
  shell: Shell,
  values: CompletionValues = {},
): string {
  const nodes = nodesOf(program, values)
  const name = program.name()
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](name, nodes)
}

function nodesOf(
  command: Command,
  known: CompletionValues,
  path = '',
  above: readonly Option[] = [],
): Node[] {
  const options = [...above, ...command.options].filter(({ hidden }) => !hidden)
  const children = command.commands
  const values = command.registeredArguments[0]?.argChoices ?? []
  const own: Node = {
    path,
    words: [
      ...children.map((child) => ({ name: child.name(), description: child.summary() })),
      ...values.map((value) => ({ name: value, description: '' })),
    ],
    options: [
      ...options.map((option) => ({
        name: option.long ?? option.short ?? '',
        description: option.description,
        takesValue: option.required || option.optional,
        choices: option.argChoices ?? known[option.long ?? ''] ?? [],
      })),
      { name: '--help', description: 'Show help', takesValue: false, choices: [] },
    ],
  }
  const below = children.flatMap((child) =>
    nodesOf(child, known, `${path} ${child.name()}`.trim(), options),
  )
  return [own, ...below]
}

const quoteShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Finds the command from the words of the line that are neither options nor their values. */
function bashScript(name: string, nodes: readonly Node[]): string {
  const withValues = namesOf(nodes, ({ takesValue }) => takesValue)
  const cases = nodes.map(({ path, words, options }) => {
    const wordList = words.map(({ name: word }) => word).join(' ')
    const optionList = options.map(({ name: option }) => option).join(' ')
    return `    ${quoteShell(path)}) words=${quoteShell(wordList)}; options=${quoteShell(optionList)} ;;`
  })
  return `# bash completion of ${name}: source it, or put it into the folder of completions.
_${name}_values() {
  case "$1 $2" in
${valueCases(nodes)}
  esac
}
_${name}_match() {
  local value text quote=''
  case "$1" in "'"*) quote="'" ;; '"'*) quote='"' ;; esac
  while IFS= read -r value; do
    [[ -z $value ]] && continue
    if [[ -n $quote ]]; then text="$quote$value"; else printf -v text '%q' "$value"; fi
    [[ $text == "$1"* ]] && COMPREPLY+=("$text")
  done
}
_${name}() {
  COMPREPLY=()
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path='' words='' options='' index word
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case " ${withValues.join(' ')} " in *" $word "*) ((index++)); continue ;; esac
    [[ $word == -* ]] && continue
    case "$path $word" in
${commandCases(nodes, (path) => `      ${quoteShell(path.includes(' ') ? path : ` ${path}`)}) path=${quoteShell(path)} ;;`)}
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case " ${withValues.join(' ')} " in *" $previous "*)
    _${name}_match "$current" < <(_${name}_values "$path" "$previous")
    return ;;
  esac
  if [[ $current == -* ]]; then words="$options"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`
}

function zshScript(name: string, nodes: readonly Node[]): string {
  const withValues = namesOf(nodes, ({ takesValue }) => takesValue)
  const described = ({ name: word, description }: { name: string; description: string }) =>
    quoteShell(`${word.replaceAll(':', '\\:')}:${firstLine(description)}`)
  const cases = nodes.map(({ path, words, options }) => {
    const list = [words, options].map((all) => all.map(described).join(' '))
    return `    ${quoteShell(path)}) words_=(${list[0]}); options_=(${list[1]}) ;;`
  })
  return `#compdef ${name}
# zsh completion of ${name}: source it, or put it as _${name} into a folder of $fpath.
_${name}_values() {
  case "$1 $2" in
${valueCases(nodes)}
  esac
}
_${name}() {
  local path_='' word index previous="\${words[CURRENT-1]}"
  local -a words_ options_ values_
  for ((index = 2; index < CURRENT; index++)); do
    word="\${words[index]}"
    case " ${withValues.join(' ')} " in *" $word "*) ((index++)); continue ;; esac
    [[ $word == -* ]] && continue
    case "$path_ $word" in
${commandCases(nodes, (path) => `      ${quoteShell(path.includes(' ') ? path : ` ${path}`)}) path_=${quoteShell(path)} ;;`)}
    esac
  done
  case "$path_" in
${cases.join('\n')}
  esac
  case " ${withValues.join(' ')} " in *" $previous "*)
    values_=("\${(@f)$(_${name}_values "$path_" "$previous")}")
    if [[ -n "\${values_[1]-}" ]]; then compadd -a values_; else _files; fi
    return ;;
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe option options_
  elif (( \${#words_} > 0 )); then _describe command words_
  else _files; fi
}
if [[ "\${funcstack[1]}" == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`
}

/** Writes a line per word; the commands before the cursor decide which lines apply. */
function fishScript(name: string, nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, words, options }) => {
    const at = `__${name}_at ${quoteShell(path)}`
    return [
      ...words.map(
        ({ name: word, description }) =>
          `complete -c ${name} -n ${quoteShell(at)} -f -a ${quoteShell(word)} -d ${quoteShell(firstLine(description))}`,
      ),
      ...options.map(({ name: option, description, takesValue, choices }) => {
        const values =
          choices.length > 0 ? ` -x -a ${quoteShell(choices.map(quoteShell).join(' '))}` : ''
        const value = takesValue ? values || ' -r' : ''
        return `complete -c ${name} -n ${quoteShell(at)} -l ${option.replace(/^--/, '')}${value} -d ${quoteShell(firstLine(description))}`
      }),
    ]
  })
  const withValues = namesOf(nodes, ({ takesValue }) => takesValue)
  return `# fish completion of ${name}: put it into ~/.config/fish/completions/${name}.fish.
function __${name}_at
  set -l path ''
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1; set skip 0; continue; end
    if contains -- $word ${withValues.join(' ')}; set skip 1; continue; end
    if string match -q -- '-*' $word; continue; end
    switch "$path $word"
${commandCases(nodes, (path) => `      case ${quoteShell(path.includes(' ') ? path : ` ${path}`)}; set path ${quoteShell(path)}`)}
    end
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`
}

const commandCases = (nodes: readonly Node[], line: (path: string) => string) =>
  nodes
    .filter(({ path }) => path !== '')
    .map(({ path }) => line(path))
    .join('\n')

/** Returns a line per option with a fixed set of values. */
function valueCases(nodes: readonly Node[]): string {
  const cases = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ name, choices }) => {
        const values = choices.map(quoteShell).join(' ')
        return `    ${quoteShell(`${path} ${name}`)}) printf '%s\\n' ${values} ;;`
      }),
  )
  return [...cases, '    *) ;;'].join('\n')
}

const namesOf = (nodes: readonly Node[], is: (option: Node['options'][number]) => boolean) => [
  ...new Set(nodes.flatMap(({ options }) => options.filter(is).map(({ name }) => name))),
]

const firstLine = (text: string) => text.split('\n', 1)[0] ?? ''
