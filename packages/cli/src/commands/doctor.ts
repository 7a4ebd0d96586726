import type { Command } from 'commander'
import { examineSetup } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { Failure } from '../failures/failure.ts'
import { type CliContext, type CommandSession, openSession } from '../session/command-session.ts'
import { addExamples } from '../terminal/examples.ts'

export function addDoctor(program: Command, context: CliContext): void {
  const command = program
    .command('doctor')
    .summary('Find problems of the connection and suggest solutions')
    .description(
      'Checks the settings, the connection, the version and health of the server, the token, the clock, and an upload of some bytes, which it deletes.\n' +
        'Reports the result of each check, with a solution if it fails. Fails if a check fails.',
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
