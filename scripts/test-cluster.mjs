import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findParts } from '../deploy/local/find.mjs'
import { ready } from './ready.mjs'
import { runSuites } from './suites.mjs'

/**
 * The suite on real Kafka, MinIO and PostgreSQL with every app its own process. The last line counts its tests, the one
 * before it the faults survived. Exit code 3: it was skipped, and why was said.
 */
ready()
const parts = await findParts().catch(skipped)
console.error(`Kafka, MinIO and PostgreSQL come from ${parts.source}.`)
Object.assign(process.env, parts.env)

const folder = mkdtempSync(join(tmpdir(), 'reticle-faults-'))
const faults = join(folder, 'faults')
writeFileSync(faults, '')
process.env.RETICLE_TEST_FAULTS_FILE = faults
try {
  process.exitCode = await runSuites(['cluster'], process.argv.slice(2), tellFaults)
} finally {
  await parts.stop()
  rmSync(folder, { recursive: true, force: true })
}

function tellFaults() {
  const names = readFileSync(faults, 'utf8').split('\n').filter(Boolean)
  for (const name of names) console.log(`survived: ${name}`)
  console.log(`${names.length} faults survived`)
}

function skipped(error) {
  if (!error.exitCode) throw error
  const line = '!'.repeat(80)
  console.error(`${line}\nSKIPPED: the cluster suite, all of it. ${error.message}\n${line}`)
  process.exit(error.exitCode)
}
