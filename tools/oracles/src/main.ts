import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@reticle/scripts/ready'
import { checkOpenapi } from './openapi.ts'
import { ownFolder, runProgram, sourceCommand } from './programs.ts'
import { pythonWith, unlessMissing } from './python.ts'

/**
 * `npm run test:oracles`: reads exports of every format with the libraries of other projects, which are Python
 * packages. Then runs the Python and Go code of `docs/webhooks.md`, external clients against a server, and generators
 * of clients (`openapi.ts`). Exit code 3: skipped, with the reason printed.
 */
process.exitCode = unlessMissing('no readers and no clients of others are tried.', () => {
  const python = pythonWith('reticle-oracles', 'requirements.txt')
  const clients = [
    pythonWith('reticle-clients', 'clients/requirements.txt'),
    pythonWith('reticle-clients-newest', 'clients/newest.txt'),
  ]
  const folder = mkdtempSync(join(tmpdir(), 'reticle-oracles-'))
  try {
    return compareAll(python, clients, folder) ? checkOpenapi() : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

function compareAll(python: string, clients: readonly string[], folder: string): boolean {
  const runs = (command: readonly string[]) => runProgram(command, root)
  const isRead =
    runs(sourceCommand('write-archives.ts', folder)) &&
    runs([python, join(ownFolder, 'check.py'), folder])
  const isVerified = runs([python, join(ownFolder, 'verify.py'), join(root, 'docs/webhooks.md')])
  const script = join(ownFolder, 'clients/run.py')
  const isServed = clients.every((client) => runs(sourceCommand('clients.ts', client, script)))
  return isRead && isVerified && isServed
}
