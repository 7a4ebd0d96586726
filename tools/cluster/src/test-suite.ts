import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runSuites } from '@reticle/scripts/suites'
import { findLanes } from './find.ts'
import { MissingTool } from './tools.mjs'

/**
 * Runs the suite on real Kafka, MinIO and PostgreSQL with every app as a separate process. Two files run at a time,
 * each with its own servers, which it may stop: tests wait for servers more than they compute. The last line counts the
 * tests, the one before it the survived faults. Exit code 3: skipped, with the reason printed.
 */
const parts = await findLanes(Math.min(2, availableParallelism())).catch(endSkipped)
console.error(`Kafka, MinIO and PostgreSQL come from ${parts.source}.`)
process.env.RETICLE_TEST_LANES = JSON.stringify(parts.lanes)

const folder = mkdtempSync(join(tmpdir(), 'reticle-faults-'))
const faults = join(folder, 'faults')
writeFileSync(faults, '')
process.env.RETICLE_TEST_FAULTS_FILE = faults
try {
  process.exitCode = await runSuites(['cluster'], process.argv.slice(2), printFaults)
} finally {
  await parts.stop()
  rmSync(folder, { recursive: true, force: true })
}

function printFaults(): void {
  const names = readFileSync(faults, 'utf8').split('\n').filter(Boolean)
  for (const name of names) console.log(`survived: ${name}`)
  console.log(`${names.length} faults survived`)
}

function endSkipped(error: unknown): never {
  if (!(error instanceof MissingTool)) throw error
  const line = '!'.repeat(80)
  console.error(`${line}\nSKIPPED: the cluster suite, all of it. ${error.message}\n${line}`)
  process.exit(error.exitCode)
}
