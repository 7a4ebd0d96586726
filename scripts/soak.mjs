import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findParts } from '../deploy/local/find.mjs'
import { runInForeground } from './foreground.mjs'
import { prepareCheckout, root } from './ready.mjs'
import { readScores, writeScores } from './scoreboard.mjs'
import { runSuites, sumOf } from './suites.mjs'

const help = `npm run soak -- [options]        kills, faults, fuzz and scale at full counts: some hours
npm run soak -- day [options]    a day of load in an hour: npm run soak -- day --help

What is measured of the promises of docs/scoreboard.md is told in lines of JSON, with goal, seed and commit.

  --write          puts it into docs/scoreboard.md, with the rows of docs/performance.md that belong there
  --scores FILE    leaves the lines in a file
  --short          the counts of npm test and npm run test:cluster instead: to see that everything is measured
  --suite NAME     unit, e2e or cluster alone, may be given several times`

/**
 * Runs kills, faults, fuzz and scale tests at full size, of which the suites run a short form: manually or at night.
 * The last line counts the tests.
 */
const files = {
  unit: ['bus/soak', 'worker/processes', 'worker/start', 'outgoing/guard', 'grpc/replicas'],
  e2e: [
    'database-kill',
    'bad-input',
    'isolation',
    'annotations-fuzz',
    'openapi-fuzz',
    'e2e/webhook-kills',
    'cli/resume',
  ],
  cluster: [
    'bus/kafka',
    'objects/crashes',
    'cluster/faults',
    'cluster/upgrade',
    'cluster/annotation-writers',
    'cluster/data-movement',
    'cluster/webhook-kills',
  ],
}

process.exitCode = process.argv[2] === 'day' ? await day(process.argv.slice(3)) : await soak()

/** The driver reads everything from its sources. */
async function day(words) {
  if (!words.includes('--help')) prepareCheckout()
  const tsx = createRequire(join(root, 'package.json')).resolve('tsx/cli')
  const main = join(root, 'tests/day/main.ts')
  return runInForeground(process.execPath, [tsx, '--conditions=@reticle/source', main, ...words])
}

async function soak() {
  const options = readOptions()
  if (!options.short) process.env.RETICLE_TEST_FULL = '1'
  prepareCheckout()
  const folder = mkdtempSync(join(tmpdir(), 'reticle-soak-'))
  const counts = join(folder, 'counts')
  const scores = join(folder, 'scores')
  process.env.RETICLE_TEST_COUNTS_FILE = counts
  process.env.RETICLE_TEST_SCORES_FILE = scores
  const parts = options.suite.includes('cluster') ? await findParts() : undefined
  try {
    const codes = []
    for (const suite of options.suite) {
      if (suite === 'cluster') Object.assign(process.env, parts.env) // the other suites start their own PostgreSQL
      codes.push(await runSuites([suite], files[suite]))
    }
    tellScores(existsSync(scores) ? readScores(scores, commit()) : [], options)
    console.log(sumOf(counts))
    return Math.max(...codes)
  } finally {
    await parts?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function readOptions() {
  const flag = { type: 'boolean' }
  const suite = { type: 'string', multiple: true, default: Object.keys(files) }
  const options = { write: flag, short: flag, help: flag, scores: { type: 'string' }, suite }
  try {
    const { values } = parseArgs({ options })
    const wrong = values.suite.find((name) => !files[name])
    if (wrong) throw new Error(`--suite ${wrong}: expected ${Object.keys(files).join(', ')}`)
    if (!values.help) return values
    console.log(help)
    process.exit(0)
  } catch (error) {
    console.error(`${error.message}\n\n${help}`)
    process.exit(2)
  }
}

function tellScores(scores, { write, scores: file }) {
  const lines = scores.map((score) => JSON.stringify(score))
  for (const line of lines) console.log(line)
  if (file) writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  if (write) writeScores(scores)
}

function commit() {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  }).trim()
}
