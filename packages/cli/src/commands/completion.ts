import { Argument, type Command } from 'commander'
import { completionScript, shells } from '../completion.ts'
import { examples } from '../examples.ts'
import { misused } from '../failure.ts'
import type { Surroundings } from '../session.ts'

export function addCompletion(program: Command, { stdout }: Surroundings): void {
  const command = program
    .command('completion')
    .summary('Print a script that completes commands in a shell')
    .description('Prints a script with which bash, zsh or fish complete commands and options.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .action((given: string) => {
      const shell = shells.find((one) => one === given)
      if (!shell) throw misused(`${given} is none of ${shells.join(', ')}`)
      stdout.write(completionScript(program, shell))
    })
  examples(command, [
    ['source <(reticle completion bash)', 'for this shell'],
    ['reticle completion zsh > ~/.zfunc/_reticle', 'for every zsh, with ~/.zfunc in $fpath'],
    ['reticle completion fish > ~/.config/fish/completions/reticle.fish', 'for every fish'],
  ])
}
