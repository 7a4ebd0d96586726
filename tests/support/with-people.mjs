import { run } from '@reticle/kit/lifecycle'
import { createLog } from '@reticle/kit/log'
import { readConfig } from '@reticle/standalone/config'
import { startStandalone } from '@reticle/standalone/start'

/** The built program with people in it who did not register: `PEOPLE` holds them as JSON. */
const config = readConfig()
const log = createLog(null, config.log)
const onError = (part, error) => console.error(part, error)
const start = async (onStop) => {
  const { url, addUser } = await startStandalone(config, log, onStop)
  for (const person of JSON.parse(process.env.PEOPLE)) await addUser(person)
  console.log(`Reticle is ready at ${url}`)
}
process.exit(await run(start, { onError }))
