import { parseArgs } from 'node:util'
import { partNames, startParts } from './parts.mjs'

/**
 * Starts Kafka, MinIO and PostgreSQL (or those that are named: `--kafka --minio --postgres`), prints the settings by which
 * tests find them, and stops them at a signal. `--data FOLDER` keeps data and logs there.
 */
const options = Object.fromEntries(partNames.map((name) => [name, { type: 'boolean' }]))
try {
  const { values } = parseArgs({ options: { ...options, data: { type: 'string' } } })
  const { data, ...wanted } = values
  const asked = signalled()
  const { env, folder, stop } = await startParts({ ...wanted, folder: data })
  for (const [name, value] of Object.entries(env)) process.stdout.write(`${name}=${value}\n`)
  process.stderr.write(`Logs are in ${folder}. Ctrl-C stops everything.\n`)
  await asked
  await stop()
  process.exit(0)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(error.exitCode ?? 1)
}

function signalled() {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, resolve)
  })
}
