import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../support/reticle.ts'

const run = promisify(execFile)

/** Every line of the Dockerfile that a machine without a container engine can run (`deploy/docker/dry-run.mjs`). */
test('the steps of the image build a jobs-svc that starts', async () => {
  const script = join(root, 'deploy/docker/dry-run.mjs')
  const { stdout, stderr } = await run(process.execPath, [script, 'jobs-svc'])
  expect(`${stdout}${stderr}`).toMatch(/^jobs-svc: \d+ s$/m)
}, 600_000)
