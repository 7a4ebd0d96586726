import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { buildProgram, runProgram } from './program.ts'
import { readEnvironment } from './session/config.ts'

const { stdin, stdout, stderr } = process
const context = {
  env: readEnvironment({}),
  stdin,
  stdout,
  stderr,
  signal: new AbortController().signal,
  atEnd: [],
}

/** Returns the executable commands by name. */
function leavesOf(command: Command, path: string): [string, Command][] {
  const name = `${path} ${command.name()}`.trim()
  if (command.commands.length === 0) return [[name, command]]
  return command.commands.flatMap((child) => leavesOf(child, name))
}

/** Returns the printed help. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (piece) => (text += piece) })
  command.outputHelp()
  return text
}

test.each(leavesOf(buildProgram(context), ''))(
  'the help of %s has an example with the command',
  (name, command) => {
    expect(command.summary()).not.toBe('')
    expect(command.description()).not.toBe('')
    const help = helpOf(command)
    const [, examples = ''] = help.split('\nExamples:\n')
    expect(examples).toContain(`$ ${name}`.replace('source <(', ''))
  },
)

test.each(leavesOf(buildProgram(context), ''))(
  'no option of %s takes a secret as its value',
  (_, command) => {
    const secrets = command.options.filter(({ long = '' }) =>
      /secret|password|token|key/.test(long),
    )
    for (const { long, description, flags } of secrets) {
      const isFile = /<file>/.test(flags) && /a file that holds it/.test(description)
      const isName = long === '--key' && /the name of the file in the bucket/.test(description)
      expect(isFile || isName, `${long}: ${description}`).toBe(true)
    }
  },
)

test.each([
  [['nothing'], 'See `reticle --help`.'],
  [['task', 'nothing', '12'], 'See `reticle task --help`.'],
  [['task', 'create'], 'See `reticle task create --help`.'],
])('%s refers to the help of the known part of the command', async (args, hint) => {
  const lines: string[] = []
  const listener = Object.assign(new PassThrough(), { isTTY: false })
  listener.on('data', (piece) => lines.push(String(piece)))
  expect(await runProgram(args, { ...context, stderr: listener })).toBe(2)
  expect(lines.join('')).toContain(hint)
})

test('every name is unique within its group', () => {
  const check = (command: Command) => {
    const names = command.commands.flatMap((child) => [child.name(), ...child.aliases()])
    expect(new Set(names).size).toBe(names.length)
    command.commands.forEach(check)
  }
  check(buildProgram(context))
})
