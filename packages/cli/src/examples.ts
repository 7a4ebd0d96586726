import type { Command } from 'commander'

/** Lines that people can copy, below the help of a command, each with what it does. */
export function examples(
  command: Command,
  lines: readonly (readonly [line: string, about: string])[],
): Command {
  const text = lines.map(([line, about]) => `  $ ${line}\n      ${about}`).join('\n')
  return command.addHelpText('after', `\nExamples:\n${text}`)
}
