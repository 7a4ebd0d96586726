import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findParts } from '@reticle/cluster/find'
import { type PromiseScore, readScores, writeScores } from '@reticle/scoreboard/scoreboard'
import { prepareCheckout, root } from '@reticle/scripts/ready'
import { runSuites, sumOf } from '@reticle/scripts/suites'
import { runDay } from './day/run-day.ts'

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
const files: Record<string, string[]> = {
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

const [first, ...words] = process.argv.slice(2)
process.exitCode = first === 'day' ? await runDay(words) : await soak()

async function soak(): Promise<number> {
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
    const codes: number[] = []
    for (const suite of options.suite) {
      if (suite === 'cluster') Object.assign(process.env, parts?.env) // the other suites start their own PostgreSQL
      codes.push(await runSuites([suite], files[suite]))
    }
    printScores(existsSync(scores) ? readScores(scores, readCommit()) : [], options)
    console.log(sumOf(counts))
    return Math.max(...codes)
  } finally {
    await parts?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function readOptions() {
  const flag = { type: 'boolean' } as const
  const text = { type: 'string' } as const
  const suite = { ...text, multiple: true, default: Object.keys(files) } as const
  const options = { write: flag, short: flag, help: flag, scores: text, suite } as const
  try {
    const { values } = parseArgs({ options })
    const wrong = values.suite.find((name) => !files[name])
    if (wrong) throw new Error(`--suite ${wrong}: expected ${Object.keys(files).join(', ')}`)
    if (!values.help) return values
    console.log(help)
    return process.exit(0)
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${help}`)
    return process.exit(2)
  }
}

function printScores(
  scores: readonly PromiseScore[],
  { write, scores: file }: { write?: boolean; scores?: string },
): void {
  const lines = scores.map((score) => JSON.stringify(score))
  for (const line of lines) console.log(line)
  if (file) writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  if (write) writeScores(scores)
}

function readCommit(): string {
  const given = ['rev-parse', '--short', 'HEAD']
  return execFileSync('git', given, { cwd: root, encoding: 'utf8' }).trim()
}
