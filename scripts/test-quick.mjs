import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runInForeground } from './foreground.mjs'
import { root } from './ready.mjs'

const help = `npm run test:quick -- [--base COMMIT]   checks what has changed since COMMIT, by default since main

Lints the changed files, compiles the changed packages, and runs those of their unit tests that import a changed file.
It leaves out test files that take half a minute. npm test runs everything.`

const options = readOptions()
if (options.help) console.log(help)
else process.exitCode = await checkChanges(options.base ?? findBase())

function readOptions() {
  try {
    return parseArgs({ options: { base: { type: 'string' }, help: { type: 'boolean' } } }).values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${help}`)
    process.exit(2)
  }
}

/** @param {string} base */
async function checkChanges(base) {
  const changed = listChanged(base)
  const packages = [...new Set(changed.flatMap(findPackage))]
  /** @type {string[]} */
  const took = []
  let worst = 0
  /** @type {(name: string, path: string, words: string[]) => Promise<void>} */
  const step = async (name, path, words) => {
    const began = Date.now()
    const code = await runInForeground(process.execPath, [bin(path), ...words], {
      cwd: root,
      env: { ...process.env, RETICLE_TEST_QUICK: '1' },
    })
    worst = Math.max(worst, code)
    took.push(`${name}: ${((Date.now() - began) / 1000).toFixed(0)} s${code ? ', failed' : ''}`)
  }
  const lint = ['ci', '--no-errors-on-unmatched', '--files-ignore-unknown=true', ...changed]
  if (changed.length > 0) await step('format and lint', '@biomejs/biome/bin/biome', lint)
  if (packages.length > 0) {
    await step('types', 'typescript/bin/tsc', ['-b', ...packages])
    const folders = packages.map((name) => `${name}/`)
    const unit = ['run', '--project', 'unit', '--changed', base, '--passWithNoTests', ...folders]
    await step('unit tests', 'vitest/vitest.mjs', unit)
  }
  console.log(`since ${base.slice(0, 12)}: ${changed.length} files changed\n${took.join('\n')}`)
  return worst
}

function findBase() {
  const name = ['main', 'origin/main'].find((one) => git('rev-parse', '-q', '--verify', one))
  const base = name && git('merge-base', name, 'HEAD')
  if (base) return base
  console.error('There is no branch main here: name a commit by --base.')
  process.exit(2)
}

/**
 * Lists files that exist and differ from `base`, also uncommitted and new ones.
 * @param {string} base
 */
function listChanged(base) {
  const lines = [
    ...git('diff', '--name-only', base, '--').split('\n'),
    ...git('ls-files', '--others', '--exclude-standard').split('\n'),
  ]
  return [...new Set(lines)].filter((path) => path && existsSync(join(root, path)))
}

/** @param {string[]} words */
function git(...words) {
  try {
    return execFileSync('git', words, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

/**
 * @param {string} path
 * @returns {string[]} the workspace of the file, if it is in one
 */
function findPackage(path) {
  return /^(?:(?:packages|apps|tools)\/[^/]+|scripts|tests)(?=\/)/.exec(path)?.slice(0, 1) ?? []
}

/** @param {string} path */
function bin(path) {
  return join(root, 'node_modules', path)
}
