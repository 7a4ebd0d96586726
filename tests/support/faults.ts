import { appendFileSync } from 'node:fs'

/**
 * Records a fault that the system survived. Called at the end of a successful fault test; `npm run test:cluster` prints
 * the number.
 */
export function recordFault(fault: string): void {
  const file = process.env.RETICLE_TEST_FAULTS_FILE
  if (file) appendFileSync(file, `${fault}\n`)
}
