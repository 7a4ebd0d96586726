import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { runInForeground } from './foreground.mjs'
import { root } from './ready.mjs'

/** @typedef {{passed: number, failed: number, skipped: number}} TestCounts */
/** @typedef {{status: string, fullName: string, failureMessages: string[]}} TestOutcome */
/** @typedef {{name: string, status: string, message?: string, assertionResults: TestOutcome[]}} FileReport */
/**
 * What the JSON reporter of vitest writes.
 * @typedef {object} TestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {number} numFailedTestSuites
 * @property {FileReport[]} testResults
 */

const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/**
 * Runs vitest projects one after another; prints the minutes of each suite, the first failures, the output of `tell`
 * and, last, the sum over all of them, so that a log of which only the end was kept still names the failed tests. The
 * counts also go to the file of `RETICLE_TEST_COUNTS_FILE`, for a sum over several runs.
 *
 * @param {readonly string[]} names
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
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

/**
 * Returns `N passed, N failed, N skipped` over all runs that wrote to a file of counts.
 * @param {string} file
 */
export function sumOf(file) {
  const runs = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return counted(runs.map((line) => JSON.parse(line)).reduce(added, none))
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 * @param {string} file
 */
async function runSuite(name, args, file) {
  const began = Date.now()
  const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const run = [vitest, 'run', '--project', name, ...report, ...args]
  const code = await runInForeground(process.execPath, run, { cwd: root })
  return { name, code, minutes: (Date.now() - began) / 60_000, ...countsOf(file) }
}

/**
 * @param {string} file
 * @returns {TestCounts & {failures: string[]}}
 */
function countsOf(file) {
  try {
    const {
      numPassedTests,
      numFailedTests,
      numPendingTests,
      numTodoTests,
      numFailedTestSuites,
      testResults,
    } = readReport(file)
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

/**
 * @param {string} file
 * @returns {TestReport}
 */
const readReport = (file) => JSON.parse(readFileSync(file, 'utf8'))

const mostFailures = 40
const mostMessage = 300

/**
 * Prints one line for each failed test of a file: file, title and the start of the message.
 * @param {FileReport} report
 */
function listFailures({ name, message, assertionResults }) {
  const file = relative(root, name)
  const failed = assertionResults.filter((one) => one.status === 'failed')
  if (failed.length === 0 && message) return [`FAILED ${file}: ${shorten(message)}`]
  return failed.map((one) => `FAILED ${file} > ${one.fullName}: ${shorten(one.failureMessages[0])}`)
}

const shorten = (message = '') => message.slice(0, mostMessage).replaceAll(/\s+/g, ' ')

const none = { passed: 0, failed: 0, skipped: 0 }
/** @type {(a: TestCounts, b: TestCounts) => TestCounts} */
const added = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})
/** @param {TestCounts} counts */
const counted = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`
