import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findParts } from '../deploy/local/find.mjs'
import { ready } from './ready.mjs'
import { runSuites, sumOf } from './suites.mjs'

/**
 * Kills, faults, fuzz and scale at the full counts of which the suites run a short form: for hand or at night, an hour or more.
 * The last line counts the tests.
 */
const files = {
  unit: ['bus/soak', 'worker/processes'],
  e2e: ['database-kill', 'annotations-fuzz', 'openapi-fuzz', 'webhook-kills', 'cli/resume'],
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
process.env.RETICLE_TEST_FULL = '1'

ready()
const parts = await findParts()
const folder = mkdtempSync(join(tmpdir(), 'reticle-soak-'))
const counts = join(folder, 'counts')
process.env.RETICLE_TEST_COUNTS_FILE = counts
try {
  const codes = []
  for (const [suite, names] of Object.entries(files)) {
    if (suite === 'cluster') Object.assign(process.env, parts.env) // the others have a PostgreSQL of their own
    codes.push(await runSuites([suite], names))
  }
  console.log(sumOf(counts))
  process.exitCode = Math.max(...codes)
} finally {
  await parts.stop()
  rmSync(folder, { recursive: true, force: true })
}
