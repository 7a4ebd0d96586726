import { type ParseArgsConfig, parseArgs } from 'node:util'
import { noServer } from '../db/errors.ts'

/** Parsed arguments of a command. */
export interface CommandArguments {
  /** Values of `--name value` and `--flag`, by name. */
  options: Record<string, string | boolean | undefined>
  /** Positional arguments after the command. */
  words: string[]
}

/** Operator command. `say` writes a line to standard output. */
export interface OpsCommand {
  /** Name such as `dead list`. */
  name: string
  /** Short description for the list of commands. */
  summary: string
  /** Arguments after the name: `EVENT_ID`, `[--service NAME]`. */
  usage: string
  /** Description of the effects and limits, in whole sentences. */
  about: string
  /** Working examples of arguments after the name of the program. */
  examples: readonly string[]
  options?: NonNullable<ParseArgsConfig['options']>
  run: (given: CommandArguments, say: (line: string) => void) => Promise<void>
}

/** Program that consists of commands. */
export interface CommandLine {
  /** How an operator calls it: `npm run ops --`. */
  call: string
  about: string
  commands: readonly OpsCommand[]
}

export interface CommandOutput {
  out: (text: string) => void
  err: (text: string) => void
}

/** Error of an invalid invocation. It leads to exit code 2 and a hint about the usage. */
export class UsageError extends Error {}

/** Exit codes, as the `--help` of every program lists them. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

const help = { help: { type: 'boolean', short: 'h' } } as const

const terminalOf = (process: NodeJS.Process): CommandOutput => ({
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})

/**
 * Runs the command named in `argv`, and reports a failure in one sentence.
 * @returns the exit code
 */
export async function runCommand(
  program: CommandLine,
  argv: readonly string[],
  terminal: CommandOutput = terminalOf(process),
): Promise<number> {
  const command = findCommand(program, argv)
  if (!command) return listCommands(program, argv, terminal)
  const say = (line: string) => terminal.out(`${line}\n`)
  try {
    const given = readArguments(command, argv)
    if (given.options.help) say(helpOf(program, command))
    else await command.run(given, say)
    return exitCodes.done
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) {
      terminal.err(`${command.name}: ${sentenceOf(thrown)}\n`)
      return exitCodes.failed
    }
    terminal.err(`${thrown.message}\nHow it is called: ${program.call} ${command.name} --help\n`)
    return exitCodes.usage
  }
}

/** Returns the command with the most words that `argv` begins with. */
function findCommand({ commands }: CommandLine, argv: readonly string[]): OpsCommand | undefined {
  const fits = ({ name }: OpsCommand) => name.split(' ').every((word, at) => argv[at] === word)
  return commands.filter(fits).sort((a, b) => b.name.length - a.name.length)[0]
}

function listCommands(
  program: CommandLine,
  argv: readonly string[],
  terminal: CommandOutput,
): number {
  const [first] = argv
  const asks = first === undefined || first === '--help' || first === '-h' || first === 'help'
  const group = program.commands.filter(({ name }) => name.split(' ')[0] === first)
  if (asks || (group.length > 0 && argv.includes('--help'))) {
    terminal.out(overview(program, asks ? program.commands : group))
    return exitCodes.done
  }
  const known = (group.length > 0 ? group : program.commands).map(({ name }) => name).join(', ')
  const given = argv.slice(0, group.length > 0 ? 2 : 1).join(' ')
  terminal.err(`There is no command "${given}". There are: ${known}. See ${program.call} --help\n`)
  return exitCodes.usage
}

function overview({ call, about }: CommandLine, commands: readonly OpsCommand[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`)
  const examples = commands.flatMap((one) => one.examples.slice(0, 1))
  return `${about}

Commands (each has --help):
${lines.join('\n')}

Examples:
${examples.map((one) => `  ${call} ${one}`).join('\n')}

Exit codes: 0 done, 1 it failed (the sentence says why and what to do), 2 it was called wrongly.
`
}

function helpOf({ call }: CommandLine, { name, usage, about, examples }: OpsCommand): string {
  return `${call} ${name}${usage ? ` ${usage}` : ''}

${about}

Examples:
${examples.map((one) => `  ${call} ${one}`).join('\n')}`
}

function readArguments(
  { name, options = {} }: OpsCommand,
  argv: readonly string[],
): CommandArguments {
  const args = argv.slice(name.split(' ').length)
  try {
    const read = parseArgs({ args, options: { ...options, ...help }, allowPositionals: true })
    return { options: read.values as CommandArguments['options'], words: read.positionals }
  } catch (thrown) {
    throw new UsageError(sentenceOf(thrown))
  }
}

/** Returns the text of an option, if it is present. */
export function textOf({ options }: CommandArguments, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

const missingTable = '42P01'

/** Returns a sentence with the next step for the errors that operators see most. */
export function sentenceOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const code = 'code' in thrown ? String(thrown.code) : ''
  if (noServer.has(code)) {
    // Node has an empty message if a name has several addresses.
    const [first] = thrown instanceof AggregateError ? thrown.errors : [thrown]
    const text = first instanceof Error ? first.message : code
    return `no database server answers (${text}): start it, or correct its address in the settings`
  }
  if (code === missingTable) {
    return `${thrown.message}: the schema is older than this program, run the migrations first`
  }
  return thrown.message
}
