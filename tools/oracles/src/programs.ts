import { type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '@reticle/scripts/ready'

/** Folder of the programs in other languages, and of their lists of packages. */
export const ownFolder = join(root, 'tools/oracles')

/** Returns the command of a program of this folder, which reads our packages from their sources. */
export function sourceCommand(file: string, ...words: string[]): string[] {
  const tsx = createRequire(join(root, 'package.json')).resolve('tsx/cli')
  const program = join(ownFolder, 'src', file)
  return [process.execPath, tsx, '--conditions=@reticle/source', program, ...words]
}

/** Runs a program to its end; returns whether it succeeded. */
export function runProgram(
  [command = '', ...words]: readonly string[],
  cwd: string,
  stdio: SpawnSyncOptions['stdio'] = 'inherit',
): boolean {
  return spawnSync(command, words, { cwd, stdio }).status === 0
}
