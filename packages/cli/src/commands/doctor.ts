import type { Command } from 'commander'
import { examineSetup } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { Failure } from '../failures/failure.ts'
import { type CliContext, type CommandSession, openSession } from '../session/command-session.ts'
import { addExamples } from '../terminal/examples.ts'

export function addDoctor(program: Command, context: CliContext): void {
  const command = program
    .command('doctor')
    .summary('Look for what is wrong, and say what to do')
    .description(
      'Looks at the settings, the way to the server, its version and health, the token, the clock, and an upload of some bytes, which it takes back.\n' +
        'Says of each whether it is well, and what to do where it is not. Fails when something is wrong.',
    )
    .action(async (_: object, self: Command) => runDoctor(openSession(self, context)))
  addExamples(command, [
    ['reticle doctor', 'of the current profile'],
    ['reticle doctor --json', 'for a report of a problem'],
  ])
}

const signs = { well: '✔', odd: '!', wrong: '✖', skipped: '–' } as const

async function runDoctor(session: CommandSession): Promise<void> {
  const { output } = session
  const findings: Finding[] = []
  for await (const finding of examineSetup(session)) {
    findings.push(finding)
    const { state, check, text, advice } = finding
    if (output.isJson) continue
    output.result(`${signs[state]} ${check}: ${text}`, finding)
    if (advice) output.result(`    ${advice}`, finding)
  }
  if (output.isJson) output.result('', findings)
  const wrong = findings.filter(({ state }) => state === 'wrong')
  if (wrong.length === 0) return
  throw new Failure(`Something is wrong: ${wrong.map(({ check }) => check).join(', ')}`, {
    code: 'unwell',
    ending: wrong.some(({ check }) => check === 'server') ? 'unavailable' : 'failed',
  })
}
