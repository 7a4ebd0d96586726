import { Argument, type Command } from 'commander'
import { usageFailure } from '../failures/failure.ts'
import type { CliContext } from '../session/command-session.ts'
import { addExamples } from '../terminal/examples.ts'
import { type CompletionValues, completionScript, shells } from './completion-script.ts'

export function addCompletion(program: Command, { stdout }: CliContext): void {
  const command = program
    .command('completion')
    .summary('Print a script that completes commands in a shell')
    .description('Prints a script with which bash, zsh or fish complete commands and options.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .action(async (given: string) => {
      const shell = shells.find((one) => one === given)
      if (!shell) throw usageFailure(`${given} is none of ${shells.join(', ')}`)
      stdout.write(completionScript(program, shell, await formatNames()))
    })
  addExamples(command, [
    ['source <(reticle completion bash)', 'for this shell'],
    ['reticle completion zsh > ~/.zfunc/_reticle', 'for every zsh, with ~/.zfunc in $fpath'],
    ['reticle completion fish > ~/.config/fish/completions/reticle.fish', 'for every fish'],
  ])
}

/** Returns format names for the options that take one. */
async function formatNames(): Promise<CompletionValues> {
  const { listFormats } = await import('@reticle/formats/registry')
  const { importers, exporters } = listFormats()
  const [from, to] = [importers, exporters].map((side) => side.map(({ name }) => name))
  const all = [...new Set([...(from ?? []), ...(to ?? [])])].sort()
  return { '--format': all, '--from': from ?? [], '--to': to ?? [] }
}
