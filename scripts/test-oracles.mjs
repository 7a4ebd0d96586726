import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './ready.mjs'

/**
 * Exports of every format, read by the readers of others, which are Python packages: they go into an environment of their own
 * below `node_modules`, once for each list of them. Then the Python and Go lines of `docs/webhooks.md`, clients of others against
 * a server, from an environment of theirs, and generators of clients (`oracles-openapi.mjs`). Exit code 3: it was skipped, and why
 * was said.
 */
const oracles = join(root, 'tests/oracles')
const python = environment('reticle-oracles', 'requirements.txt')
const clients = environment('reticle-clients', 'clients/requirements.txt')
const folder = mkdtempSync(join(tmpdir(), 'reticle-oracles-'))
try {
  const isWritten = typescript('write.ts', folder)
  const check = [join(oracles, 'check.py'), folder]
  const isRead = isWritten && spawnSync(python, check, { stdio: 'inherit' }).status === 0
  const verify = [join(oracles, 'verify.py'), join(root, 'docs/webhooks.md')]
  const isVerified = spawnSync(python, verify, { stdio: 'inherit' }).status === 0
  const isServed = typescript('clients.ts', clients, join(oracles, 'clients/run.py'))
  process.exitCode = isRead && isVerified && isServed ? 0 : 1
  const generators = [join(root, 'scripts/oracles-openapi.mjs')]
  process.exitCode ||= spawnSync(process.execPath, generators, { stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function typescript(script, ...given) {
  const tsx = createRequire(join(root, 'package.json')).resolve('tsx/cli')
  const run = [tsx, '--conditions=@reticle/source', join(oracles, script), ...given]
  return spawnSync(process.execPath, run, { cwd: root, stdio: 'inherit' }).status === 0
}

function environment(name, requirements) {
  const version = spawnSync('python3', ['--version'], { encoding: 'utf8' })
  if (version.status !== 0) skipped('There is no python3 on this machine.')
  const list = join(oracles, requirements)
  const wanted = createHash('sha256')
    .update(version.stdout)
    .update(readFileSync(list))
    .digest('hex')
  const place = join(root, 'node_modules/.cache', name)
  const inside = join(place, 'bin/python')
  const mark = join(place, 'complete')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return inside
  console.error('Installing Python packages (once per list of them) ...')
  rmSync(place, { recursive: true, force: true })
  const steps = [
    ['python3', '-m', 'venv', place],
    [inside, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', list],
  ]
  for (const [command, ...rest] of steps) {
    const { status } = spawnSync(command, rest, { stdio: ['ignore', 'inherit', 'inherit'] })
    if (status !== 0)
      skipped(`The Python packages of tests/oracles/${requirements} cannot be installed here.`)
  }
  writeFileSync(mark, wanted)
  return inside
}

function skipped(reason) {
  const line = '!'.repeat(80)
  console.error(
    `${line}\nSKIPPED: no readers and no clients of others are tried. ${reason}\n${line}`,
  )
  process.exit(3)
}
