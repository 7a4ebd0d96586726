import { spawnSync } from 'node:child_process'
import { dataDirectory, password, startReticle } from '@reticle/tests/support/reticle'

/** Runs a Python program against a new server: `generated-client.ts PYTHON PROGRAM`, from the folder of the client. */
const [python = 'python3', program = ''] = process.argv.slice(2)
const { path, remove } = dataDirectory()
const reticle = await startReticle(path)
try {
  const words = [program, `${reticle.url}/api`, 'admin', password]
  process.exitCode = spawnSync(python, words, { stdio: 'inherit' }).status ?? 1
} finally {
  await reticle.stop()
  remove()
}
