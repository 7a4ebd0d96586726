import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { oracles, pythonWith, unlessMissing } from './python.mjs'
import { root } from './ready.mjs'

/**
 * Reads exports of every format with the libraries of other projects, which are Python packages. Then runs the Python
 * and Go code of `docs/webhooks.md`, external clients against a server, and generators of clients
 * (`oracles-openapi.mjs`). Exit code 3: skipped, with the reason printed.
 */
process.exitCode = unlessMissing('no readers and no clients of others are tried.', () => {
  const python = pythonWith('reticle-oracles', 'requirements.txt')
  const clients = [
    pythonWith('reticle-clients', 'clients/requirements.txt'),
    pythonWith('reticle-clients-newest', 'clients/newest.txt'),
  ]
  const folder = mkdtempSync(join(tmpdir(), 'reticle-oracles-'))
  try {
    return isWell({ python, clients, folder }) ? generators() : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

function isWell({ python, clients, folder }) {
  const isRead = typescript('write.ts', folder) && runs(python, [join(oracles, 'check.py'), folder])
  const isVerified = runs(python, [join(oracles, 'verify.py'), join(root, 'docs/webhooks.md')])
  const script = join(oracles, 'clients/run.py')
  const isServed = clients.every((client) => typescript('clients.ts', client, script))
  return isRead && isVerified && isServed
}

function generators() {
  const script = join(root, 'scripts/oracles-openapi.mjs')
  return spawnSync(process.execPath, [script], { stdio: 'inherit' }).status ?? 1
}

function typescript(script, ...given) {
  const tsx = createRequire(join(root, 'package.json')).resolve('tsx/cli')
  return runs(process.execPath, [
    ...[tsx, '--conditions=@reticle/source', join(oracles, script)],
    ...given,
  ])
}

function runs(command, words) {
  return spawnSync(command, words, { cwd: root, stdio: 'inherit' }).status === 0
}
