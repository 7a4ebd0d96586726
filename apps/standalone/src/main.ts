import { createLog } from '@reticle/kit/observe/log'
import { runProcess } from '@reticle/kit/process/lifecycle'
import { ConfigError, environment } from '@reticle/kit/settings/config'
import { readSettings, unknownSettings } from './settings.ts'
import { type Standalone, startStandalone } from './start.ts'

/** Entry point of `npm start`: reads the settings, starts everything, prints the ready line, waits for a signal. */
try {
  const config = readSettings(environment)
  const log = createLog(null, config.log)
  for (const name of unknownSettings(environment))
    log.warn(`${name} is not a known setting; check the spelling`)
  process.stdout.on('error', () => undefined) // a closed terminal is no reason to exit
  const print = (text: string) => void process.stdout.write(`${text}\n`)
  const start = async (onStop: Parameters<typeof startStandalone>[2]) => {
    print(formatWelcome(await startStandalone(config, log, onStop)))
    onStop('notice', () => print('Stopping; what still runs has up to 30 s ...'))
  }
  const onError = (part: string, error: unknown) => {
    const sentence = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${part}: ${sentence}\n`)
    log.debug({ err: error }, part)
  }
  process.exit(await runProcess(start, { onError }))
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

/** Returns the message after the start. Scripts rely on its ready line. */
function formatWelcome({ url, admin }: Standalone): string {
  const password = admin.password ?? (admin.file ? `$(cat '${admin.file}')` : '<password>')
  const user = `-u "${admin.username}:${password}"`
  return [
    '',
    ...(admin.password
      ? [`  Administrator  ${admin.username}`, `  Password       ${admin.password}`, '']
      : []),
    `  Open ${url} in a browser, or try:`,
    `    curl ${user} ${url}/api/users/self`,
    `    curl ${user} ${url}/api/projects -H 'Content-Type: application/json' -d '{"name":"First","labels":[{"name":"car"}]}'`,
    '    npm run demo',
    '',
    `Reticle is ready at ${url}`,
  ].join('\n')
}
