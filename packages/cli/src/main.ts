import { readEnvironment } from './config.ts'
import { exitCodes } from './exit-codes.ts'
import { run } from './program.ts'

const interrupted = new AbortController()
const { stdin, stdout, stderr } = process

/** The first stops what is under way in order, the second at once. */
const stop = () => {
  if (interrupted.signal.aborted) process.exit(exitCodes.interrupted)
  interrupted.abort()
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
// Who reads no more, as `| head` does, has what it wanted.
stdout.on('error', () => process.exit(exitCodes.done))

const around = {
  env: readEnvironment(),
  stdin,
  stdout,
  stderr,
  signal: interrupted.signal,
  atEnd: [],
}
process.exitCode = await run(process.argv.slice(2), around)
