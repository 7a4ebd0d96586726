import type { Command } from 'commander'

/** Adds examples with explanations to the help of a command. */
export function examples(
  command: Command,
  lines: readonly (readonly [line: string, about: string])[],
): Command {
  const text = lines.map(([line, about]) => `  $ ${line}\n      ${about}`).join('\n')
  return command.addHelpText('after', `\nExamples:\n${text}`)
}
