import { appendFileSync } from 'node:fs'

/**
 * Notes a fault that the system survived: called at the end of a test of a fault, when all its expectations held.
 * `npm run test:cluster` prints the number of them.
 */
export function survived(fault: string): void {
  const file = process.env.RETICLE_TEST_FAULTS_FILE
  if (file) appendFileSync(file, `${fault}\n`)
}
