import { parseArgs } from 'node:util'
import { openControl } from './control.mjs'
import { localMakers, startParts } from './parts.mjs'

/**
 * Starts Kafka, MinIO and PostgreSQL (or those that are named: `--kafka --minio --postgres --versitygw --azurite --gcs`), prints
 * the settings with their addresses, and stops them at a signal. `--data FOLDER` keeps data and logs there.
 */
const known = Object.keys(localMakers)
const options = Object.fromEntries(known.map((name) => [name, { type: 'boolean' }]))
try {
  const { values } = parseArgs({ options: { ...options, data: { type: 'string' } } })
  const named = known.filter((name) => values[name])
  let isUp = false
  const stopSignal = awaitSignal(() => isUp || process.exit(130)) // the guards end servers that are still starting
  const names = named.length > 0 ? named : undefined
  const { env, logs, parts, stop } = await startParts({ names, folder: values.data })
  isUp = true
  const control = await openControl(parts)
  const all = { ...env, RETICLE_TEST_CONTROL: control.url }
  for (const [name, value] of Object.entries(all)) process.stdout.write(`${name}=${value}\n`)
  process.stderr.write(`Logs are in ${logs}. Ctrl-C stops everything.\n`)
  await stopSignal
  await control.close()
  await stop()
  process.exit(0)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(error.exitCode ?? 1)
}

function awaitSignal(onSignal) {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(name, () => {
        onSignal()
        resolve()
      })
    }
  })
}
