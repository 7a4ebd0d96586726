import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Prepares a checkout: installs if the lockfile has changed, and builds changed sources. Uses only Node.js, and no
 * network once installed.
 */

export const root = fileURLToPath(new URL('..', import.meta.url))
const lowest = { major: 20, minor: 19 }
const mark = join(root, 'node_modules/.reticle-lock')

export function prepareCheckout() {
  installed()
  build()
}

/** Prepares until sources can run, but does not build them, because generated files may be missing. */
function installed() {
  checkNode()
  install()
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > lowest.major || (major === lowest.major && minor >= lowest.minor)) return
  fail(
    `Reticle needs Node.js ${lowest.major}.${lowest.minor} or newer; this is ${process.versions.node}.`,
  )
}

function install() {
  const expectedHash = lockHash()
  if (readIfThere(mark) === expectedHash) return
  console.error('Installing packages (once per version) ...')
  // The flag repeats .npmrc, which an environment variable would override.
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  runInstallScripts()
  writeFileSync(mark, expectedHash)
}

/** Runs the install scripts of the packages that `allowScripts` of package.json allows, and no others. */
function runInstallScripts() {
  const { allowScripts = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = Object.keys(allowScripts).filter((name) => allowScripts[name] === true)
  const installed = names.filter((name) => existsSync(join(root, 'node_modules', name)))
  if (installed.length === 0) return
  run('npm', ['rebuild', '--ignore-scripts=false', '--loglevel=error', ...installed])
}

function build() {
  console.error('Building what has changed ...')
  const turbo = createRequire(join(root, 'package.json')).resolve('turbo/bin/turbo')
  run(
    process.execPath,
    [turbo, 'run', 'build', '--output-logs=errors-only', '--log-order=grouped'],
    {
      quiet: true,
    },
  )
}

/** Native packages differ by platform and Node.js version, so both are part of the hash. */
function lockHash() {
  const lock = readFileSync(join(root, 'package-lock.json'))
  return createHash('sha256')
    .update(lock)
    .update(`${process.platform} ${process.arch}`)
    .digest('hex')
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args, { quiet = false } = {}) {
  const env = {
    ...process.env,
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
  }
  const shell = process.platform === 'win32' && command === 'npm'
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2] // standard output belongs to the program
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    env,
    stdio,
    shell,
  })
  if (status === 0) return
  if (quiet) process.stderr.write(`${stdout}${stderr}`)
  fail(`${command} ${args[0]} failed${error ? `: ${error.message}` : ''}.`)
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** @param {string} text */
function fail(text) {
  console.error(text)
  process.exit(1)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.argv[2] === '--unbuilt' ? installed() : prepareCheckout()
