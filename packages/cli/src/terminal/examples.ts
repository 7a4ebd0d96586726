import type { Command } from 'commander'

/** Adds examples with explanations to the help of a command. */
export function addExamples(
  command: Command,
  lines: readonly (readonly [line: string, explanation: string])[],
): Command {
  const text = lines.map(([line, explanation]) => `  $ ${line}\n      ${explanation}`).join('\n')
  return command.addHelpText('after', `\nExamples:\n${text}`)
}
