import { Command, CommanderError } from 'commander'
import { addAnnotations } from './commands/annotations.ts'
import { addCompletion } from './commands/completion.ts'
import { addConvert } from './commands/convert.ts'
import { addDoctor } from './commands/doctor.ts'
import { addBackup, addEvents, addExport } from './commands/export.ts'
import { addImport, addRestore } from './commands/import.ts'
import { addMigrate } from './commands/migrate.ts'
import { addResources } from './commands/resources.ts'
import { addServer } from './commands/server.ts'
import { addSignIn } from './commands/sign-in.ts'
import { type ExitStatus, endings, exitCodes, Failure } from './failures/failure.ts'
import { toFailure } from './failures/to-failure.ts'
import type { CliContext } from './session/command-session.ts'
import { version } from './session/version.ts'
import { addExamples } from './terminal/examples.ts'
import { formatJson } from './terminal/output.ts'
import { replaceControls } from './terminal/table.ts'

/** Builds the tree of all commands. */
export function buildProgram(context: CliContext): Command {
  const program = new Command('reticle')
    .description('The command line of Reticle, an annotation service for computer vision.')
    .version(version, '-V, --version', 'Show the version')
    .option(
      '--url <url>',
      'Address of the server (RETICLE_URL; the profile; http://127.0.0.1:8080)',
    )
    .option('--profile <name>', 'Which of the saved servers (RETICLE_PROFILE)')
    .option(
      '--organization <slug>',
      'Work within an organization; empty: the personal workspace (RETICLE_ORGANIZATION)',
    )
    .option('--json', 'Answer JSON, errors too')
    .option('--quiet', 'Tell results and errors only')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: () => undefined, // `run` prints errors, as text or JSON
    })
  program.addHelpText('after', () => `\nExit codes:\n${exitCodeLines()}`)
  addExamples(program, [
    ['reticle login https://reticle.example.org', 'asks for a token and keeps it'],
    ['reticle task create "Batch 1" frames/ --label car --label bus', 'makes a task of a folder'],
    ['reticle export task 12 --format "COCO 1.0" --images', 'downloads it with annotations'],
  ])
  addSignIn(program, context)
  addResources(program, context)
  addExport(program, context)
  addImport(program, context)
  addBackup(program, context)
  addEvents(program, context)
  addRestore(program, context)
  addMigrate(program, context)
  addAnnotations(program, context)
  addServer(program, context)
  addDoctor(program, context)
  addConvert(program, context)
  addCompletion(program, context)
  return program
}

const exitCodeLines = () =>
  Object.entries(exitCodes)
    .map(([ending, code]) => `  ${String(code).padStart(3)}  ${aboutEnding(ending)}`)
    .join('\n')

const aboutEnding = (ending: string) =>
  Object.entries(endings).find(([name]) => name === ending)?.[1] ?? ''

/** Runs the command line and prints errors. @returns the exit code */
export async function runProgram(args: readonly string[], context: CliContext): Promise<number> {
  const program = buildProgram(context)
  try {
    await program.parseAsync([...args], { from: 'user' })
    runExitHandlers(context)
    return exitCodes.done
  } catch (thrown) {
    runExitHandlers(context)
    if (thrown instanceof CommanderError) return reportMisuse(thrown, args, context)
    return reportFailure(thrown, args, context)
  }
}

/** Handles an error of standard output. @returns the exit code */
export function handleOutputError(
  thrown: NodeJS.ErrnoException,
  args: readonly string[],
  context: CliContext,
): number {
  runExitHandlers(context)
  // A reader that stops early, such as `head`, is not an error.
  if (thrown.code === 'EPIPE') return exitCodes.done
  const message = `Standard output cannot be written: ${thrown.message}`
  return reportFailure(new Failure(message, { code: 'file' }), args, context)
}

const runExitHandlers = ({ atEnd }: CliContext) => {
  for (const last of atEnd) last()
}

/** Help and version are not errors; a group without a command shows its help as an error. */
function reportMisuse(
  { exitCode, code, message }: CommanderError,
  args: readonly string[],
  context: CliContext,
): number {
  if (exitCode === 0) return exitCodes.done
  const isHelp = code === 'commander.help'
  const text = isHelp ? 'A command is missing' : message.replace(/^error: /, '')
  printError(
    {
      ending: 'usage',
      code: 'usage',
      message: text,
      hint: helpHint(code === 'commander.unknownCommand' ? wordsBefore(message, args) : args),
    },
    args,
    context,
  )
  return exitCodes.usage
}

/** Returns the words before an unknown command, so that the hint shows the help of its group. */
function wordsBefore(error: string, args: readonly string[]): readonly string[] {
  const [, name = ''] = /'(.*?)'/.exec(error) ?? []
  return args.slice(0, Math.max(0, args.indexOf(name)))
}

const helpHint = (args: readonly string[]) => {
  const words = args.slice(0, args.findIndex((arg) => arg.startsWith('-')) >>> 0).slice(0, 2)
  return `See \`${['reticle', ...words, '--help'].join(' ')}\`.`
}

function reportFailure(thrown: unknown, args: readonly string[], context: CliContext): number {
  const failure = toFailure(thrown, context.signal)
  printError(failure, args, context)
  return exitCodes[failure.ending]
}

interface PrintedError {
  ending: ExitStatus
  code: string
  message: string
  hint?: string | undefined
  details?: Readonly<Record<string, unknown>>
}

/** Prints an error to standard error; with `--json` as one line of JSON. */
function printError(error: PrintedError, args: readonly string[], { stderr }: CliContext): void {
  const { ending, code, message, hint, details } = error
  if (args.includes('--json')) {
    const error = { code, message, exit_code: exitCodes[ending], ...(hint && { hint }), ...details }
    stderr.write(`${formatJson({ error })}\n`)
    return
  }
  stderr.write(`reticle: ${replaceControls(message, true)}\n`)
  if (hint) stderr.write(`${replaceControls(hint, true)}\n`)
}
