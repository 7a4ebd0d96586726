import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../support/reticle.ts'

const run = promisify(execFile)

/** Every line of the Dockerfile as far as a machine without an engine can run it (`deploy/docker/dry-run.mjs`). */
test('the steps of the image build a conversion service that starts', async () => {
  const script = join(root, 'deploy/docker/dry-run.mjs')
  const { stdout, stderr } = await run(process.execPath, [script, 'jobs-svc'])
  expect(`${stdout}${stderr}`).toMatch(/^jobs-svc: \d+ s$/m)
}, 600_000)
