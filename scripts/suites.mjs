import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { runInForeground } from './foreground.mjs'
import { root } from './ready.mjs'

const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/**
 * Runs vitest projects one after another; prints the minutes of each suite, the first failures, the output of `tell`
 * and, last, the sum over all of them, so that a log of which only the end was kept still names the failed tests. The
 * counts also go to the file of `RETICLE_TEST_COUNTS_FILE`, for a sum over several runs.
 */
export async function runSuites(names, args = [], report = () => {}) {
  const folder = mkdtempSync(join(tmpdir(), 'reticle-suites-'))
  const rows = []
  for (const name of names) rows.push(await runSuite(name, args, join(folder, `${name}.json`)))
  rmSync(folder, { recursive: true, force: true })
  for (const row of rows) console.log(`${row.name}: ${row.minutes.toFixed(1)} min, ${counted(row)}`)
  for (const failure of rows.flatMap((row) => row.failures)) console.log(failure)
  report()
  const sum = rows.reduce(added, none)
  console.log(counted(sum))
  const { RETICLE_TEST_COUNTS_FILE: file } = process.env
  if (file) appendFileSync(file, `${JSON.stringify(sum)}\n`)
  return rows.every((row) => row.code === 0) && sum.failed === 0 ? 0 : 1
}

/** Returns `N passed, N failed, N skipped` over all runs that wrote to a file of counts. */
export function sumOf(file) {
  const runs = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return counted(runs.map((line) => JSON.parse(line)).reduce(added, none))
}

async function runSuite(name, args, file) {
  const began = Date.now()
  const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const run = [vitest, 'run', '--project', name, ...report, ...args]
  const code = await runInForeground(process.execPath, run, { cwd: root })
  return { name, code, minutes: (Date.now() - began) / 60_000, ...countsOf(file) }
}

function countsOf(file) {
  try {
    const {
      numPassedTests,
      numFailedTests,
      numPendingTests,
      numTodoTests,
      numFailedTestSuites,
      testResults,
    } = JSON.parse(readFileSync(file, 'utf8'))
    const broken = testResults.filter(
      (one) => one.status === 'failed' && one.assertionResults.length === 0,
    )
    const failed = numFailedTests + Math.min(broken.length, numFailedTestSuites)
    const failures = testResults.flatMap(listFailures).slice(0, mostFailures)
    return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests, failures }
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: [] } // the runner itself failed
  }
}

const mostFailures = 40
const mostMessage = 300

/** Prints one line for each failed test of a file: file, title and the start of the message. */
function listFailures({ name, message, assertionResults }) {
  const file = relative(root, name)
  const failed = assertionResults.filter((one) => one.status === 'failed')
  if (failed.length === 0 && message) return [`FAILED ${file}: ${shorten(message)}`]
  return failed.map((one) => `FAILED ${file} > ${one.fullName}: ${shorten(one.failureMessages[0])}`)
}

const shorten = (message = '') => message.slice(0, mostMessage).replaceAll(/\s+/g, ' ')

const none = { passed: 0, failed: 0, skipped: 0 }
const added = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})
const counted = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`
