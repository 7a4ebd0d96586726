import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { markedFor } from './document-blocks.ts'
import { dataDirectory, password, root, shareReticle } from './reticle.ts'

const run = promisify(execFile)

/**
 * Runs the commands of a document that are marked for a test in one shell, next to a running server.
 *
 * @returns their standard output
 */
export function runMarkedCommands(
  document: string,
  by = 'tests/e2e/readme.test.ts',
  findServer = shareReticle,
): Promise<string> {
  return runCommands(async () => markedFor(document, by).join(''), findServer)
}

/**
 * Runs commands in one shell, next to a server, by default the shared one, and a data directory as its administrator has
 * it.
 *
 * @param linesOf returns the commands for the base URL of the server
 * @returns their standard output
 */
export async function runCommands(
  linesOf: (api: string) => Promise<string>,
  findServer = shareReticle,
): Promise<string> {
  const { path, remove } = dataDirectory()
  const reticle = await findServer()
  writeFileSync(join(path, 'admin-password'), password)
  const cwd = mkdtempSync(join(tmpdir(), 'reticle-readme-'))
  onTestFinished(() => {
    remove()
    rmSync(cwd, { recursive: true, force: true })
  })
  cpSync(join(root, 'scripts'), join(cwd, 'scripts'), { recursive: true })
  const programs = join(cwd, 'node_modules/.bin')
  mkdirSync(programs, { recursive: true })
  symlinkSync(join(root, 'packages/cli/bin/reticle.mjs'), join(programs, 'reticle'))
  const env = {
    ...process.env,
    ...{ API: `${reticle.url}/api`, RETICLE_URL: reticle.url, RETICLE_DATA_DIR: path },
    ...{ RETICLE_CONFIG_DIR: join(cwd, '.config'), RETICLE_CACHE_DIR: join(cwd, '.cache') },
  }
  const lines = await linesOf(env.API)
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', lines], { cwd, env })
  return stdout
}
