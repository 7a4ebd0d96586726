import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInForeground } from './foreground.mjs'
import { prepareCheckout, root } from './ready.mjs'

/** Runs all checks of a change: format and lint, types, the start of a fresh clone without network, and the tests. */
prepareCheckout()
await step('format and lint', () =>
  runInForeground(process.execPath, [bin('@biomejs/biome/bin/biome'), 'ci', '.'], { cwd: root }),
)
await step('the lockfile can be installed', () =>
  npm(['ci', '--dry-run', '--offline', '--loglevel=error']),
)
await step('a fresh clone starts without the network', freshStart)
// Runs last, so that the final line is the count of the tests.
process.exitCode = await npm(['test', '--silent', '--', ...process.argv.slice(2)])

/**
 * @param {string} name
 * @param {() => Promise<number>} run
 */
async function step(name, run) {
  const began = Date.now()
  const code = await run()
  if (code !== 0) {
    console.error(`verify: ${name} failed`)
    process.exit(1)
  }
  console.error(`verify: ${name}: ${((Date.now() - began) / 60_000).toFixed(1)} min`)
}

/** @param {string} path */
function bin(path) {
  return join(root, 'node_modules', path)
}

/** @param {string[]} args */
function npm(args) {
  return runInForeground('npm', args, {
    cwd: root,
    shell: process.platform === 'win32',
  })
}

/** Clones the committed state, installs from npm's cache, and waits for the ready line. */
async function freshStart() {
  const folder = mkdtempSync(join(tmpdir(), 'reticle-fresh-'))
  try {
    const cloned = spawnSync('git', ['clone', '--quiet', '--no-hardlinks', root, folder], {
      stdio: 'inherit',
    })
    if (cloned.status !== 0) return 1
    return await startedOnce(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} folder
 * @returns {Promise<number>}
 */
function startedOnce(folder) {
  const env = { ...process.env, RETICLE_PORT: '0', npm_config_offline: 'true' }
  const child = spawn('npm', ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const patience = setTimeout(() => child.kill('SIGKILL'), 300_000)
  let text = ''
  child.stdout.on('data', (piece) => {
    text += piece
    if (/^Reticle is ready at http:/m.test(text)) child.kill('SIGTERM')
  })
  return new Promise((resolve) => {
    child.on('exit', (code) => {
      clearTimeout(patience)
      const isReady = /^Reticle is ready at http:/m.test(text)
      if (!isReady) console.error(`no ready line in:\n${text}`)
      resolve(isReady ? (code ?? 1) : 1)
    })
  })
}
