import { Command, CommanderError } from 'commander'
import { addAnnotations } from './commands/annotations.ts'
import { addCompletion } from './commands/completion.ts'
import { addConvert } from './commands/convert.ts'
import { addDoctor } from './commands/doctor.ts'
import { addImport, addRestore } from './commands/incoming.ts'
import { addMigrate } from './commands/migrate.ts'
import { addBackup, addEvents, addExport } from './commands/outgoing.ts'
import { addResources } from './commands/resources.ts'
import { addServer } from './commands/server.ts'
import { addSignIn } from './commands/sign-in.ts'
import { examples } from './examples.ts'
import { type Ending, endings, exitCodes } from './exit-codes.ts'
import { explain } from './explain.ts'
import { Failure } from './failure.ts'
import type { Surroundings } from './session.ts'
import { jsonText } from './terminal/output.ts'
import { printable } from './terminal/table.ts'
import { version } from './version.ts'

/** Builds the tree of all commands. */
export function buildProgram(around: Surroundings): Command {
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
      writeOut: (text) => void around.stdout.write(text),
      writeErr: () => undefined, // `run` prints errors, as text or JSON
    })
  program.addHelpText('after', () => `\nExit codes:\n${exitCodeLines()}`)
  examples(program, [
    ['reticle login https://reticle.example.org', 'asks for a token and keeps it'],
    ['reticle task create "Batch 1" frames/ --label car --label bus', 'makes a task of a folder'],
    ['reticle export task 12 --format "COCO 1.0" --images', 'downloads it with annotations'],
  ])
  addSignIn(program, around)
  addResources(program, around)
  addExport(program, around)
  addImport(program, around)
  addBackup(program, around)
  addEvents(program, around)
  addRestore(program, around)
  addMigrate(program, around)
  addAnnotations(program, around)
  addServer(program, around)
  addDoctor(program, around)
  addConvert(program, around)
  addCompletion(program, around)
  return program
}

const exitCodeLines = () =>
  Object.entries(exitCodes)
    .map(([ending, code]) => `  ${String(code).padStart(3)}  ${aboutEnding(ending)}`)
    .join('\n')

const aboutEnding = (ending: string) =>
  Object.entries(endings).find(([name]) => name === ending)?.[1] ?? ''

/** Runs the command line and prints errors. @returns the exit code */
export async function run(args: readonly string[], around: Surroundings): Promise<number> {
  const program = buildProgram(around)
  try {
    await program.parseAsync([...args], { from: 'user' })
    end(around)
    return exitCodes.done
  } catch (thrown) {
    end(around)
    if (thrown instanceof CommanderError) return misusedBy(thrown, args, around)
    return failed(thrown, args, around)
  }
}

/** Handles an error of standard output. @returns the exit code */
export function unwritten(
  thrown: NodeJS.ErrnoException,
  args: readonly string[],
  around: Surroundings,
): number {
  end(around)
  // A reader that stops early, such as `head`, is not an error.
  if (thrown.code === 'EPIPE') return exitCodes.done
  const message = `Standard output cannot be written: ${thrown.message}`
  return failed(new Failure(message, { code: 'file' }), args, around)
}

const end = ({ atEnd }: Surroundings) => {
  for (const last of atEnd) last()
}

/** Help and version are not errors; a group without a command shows its help as an error. */
function misusedBy(
  { exitCode, code, message }: CommanderError,
  args: readonly string[],
  around: Surroundings,
): number {
  if (exitCode === 0) return exitCodes.done
  const isHelp = code === 'commander.help'
  const text = isHelp ? 'A command is missing' : message.replace(/^error: /, '')
  tell(
    {
      ending: 'usage',
      code: 'usage',
      message: text,
      hint: helpHint(code === 'commander.unknownCommand' ? wordsBefore(message, args) : args),
    },
    args,
    around,
  )
  return exitCodes.usage
}

/** Returns the words before an unknown command, so that the hint shows the help of its group. */
function wordsBefore(told: string, args: readonly string[]): readonly string[] {
  const [, name = ''] = /'(.*?)'/.exec(told) ?? []
  return args.slice(0, Math.max(0, args.indexOf(name)))
}

const helpHint = (args: readonly string[]) => {
  const words = args.slice(0, args.findIndex((arg) => arg.startsWith('-')) >>> 0).slice(0, 2)
  return `See \`${['reticle', ...words, '--help'].join(' ')}\`.`
}

function failed(thrown: unknown, args: readonly string[], around: Surroundings): number {
  const failure = explain(thrown, around.signal)
  tell(failure, args, around)
  return exitCodes[failure.ending]
}

interface Told {
  ending: Ending
  code: string
  message: string
  hint?: string | undefined
  details?: Readonly<Record<string, unknown>>
}

/** Prints an error to standard error; with `--json` as one line of JSON. */
function tell(told: Told, args: readonly string[], { stderr }: Surroundings): void {
  const { ending, code, message, hint, details } = told
  if (args.includes('--json')) {
    const error = { code, message, exit_code: exitCodes[ending], ...(hint && { hint }), ...details }
    stderr.write(`${jsonText({ error })}\n`)
    return
  }
  stderr.write(`reticle: ${printable(message, true)}\n`)
  if (hint) stderr.write(`${printable(hint, true)}\n`)
}
