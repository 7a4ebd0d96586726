import { exitCodes } from './failures/failure.ts'
import { handleOutputError, runProgram } from './program.ts'
import { readEnvironment } from './session/config.ts'

const interrupted = new AbortController()
const { stdin, stdout, stderr } = process

/** The first signal stops the command gracefully, the second one at once. */
const stop = () => {
  if (interrupted.signal.aborted) process.exit(exitCodes.interrupted)
  interrupted.abort()
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

const args = process.argv.slice(2)
const context = {
  env: readEnvironment(),
  stdin,
  stdout,
  stderr,
  signal: interrupted.signal,
  atEnd: [],
}
stdout.on('error', (thrown) => process.exit(handleOutputError(thrown, args, context)))
stderr.on('error', () => undefined) // a failure to print progress must not stop the command
process.exitCode = await runProgram(args, context)
