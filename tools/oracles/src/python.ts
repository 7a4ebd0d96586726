import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@reticle/scripts/ready'
import { ownFolder } from './programs.ts'

/** A tool that this machine does not have. The checks that need it are skipped with a message. */
export class Missing extends Error {}

/**
 * Returns a Python interpreter with the packages of a list, in an environment below `node_modules` that is created once
 * per list.
 *
 * @param requirements The list, below `tools/oracles`
 * @throws Missing
 */
export function pythonWith(name: string, requirements: string): string {
  const version = spawnSync('python3', ['--version'], { encoding: 'utf8' })
  if (version.status !== 0) throw new Missing('There is no python3 on this machine.')
  const list = join(ownFolder, requirements)
  const expectedHash = createHash('sha256')
    .update(version.stdout)
    .update(readFileSync(list))
    .digest('hex')
  const folder = join(root, 'node_modules/.cache', name)
  const inside = join(folder, 'bin/python')
  const mark = join(folder, 'complete')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === expectedHash) return inside
  console.error('Installing Python packages (once per list of them) ...')
  rmSync(folder, { recursive: true, force: true })
  const steps: [command: string, ...words: string[]][] = [
    ['python3', '-m', 'venv', folder],
    [inside, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', list],
  ]
  for (const [command, ...rest] of steps) {
    const { status } = spawnSync(command, rest, { stdio: ['ignore', 'inherit', 'inherit'] })
    if (status !== 0)
      throw new Missing(`The Python packages of tools/oracles/${requirements} cannot be had here.`)
  }
  writeFileSync(mark, expectedHash)
  return inside
}

/**
 * Runs a check that may be skipped.
 * @returns the exit code: 3 if it was skipped, with the reason printed
 */
export function unlessMissing(about: string, run: () => number): number {
  try {
    return run()
  } catch (thrown) {
    if (!(thrown instanceof Missing)) throw thrown
    const line = '!'.repeat(80)
    console.error(`${line}\nSKIPPED: ${about} ${thrown.message}\n${line}`)
    return 3
  }
}
