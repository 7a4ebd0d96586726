import { readEnvironment } from './config.ts'
import { exitCodes } from './exit-codes.ts'
import { run, unwritten } from './program.ts'

const interrupted = new AbortController()
const { stdin, stdout, stderr } = process

/** The first stops what is under way in order, the second at once. */
const stop = () => {
  if (interrupted.signal.aborted) process.exit(exitCodes.interrupted)
  interrupted.abort()
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

const args = process.argv.slice(2)
const around = {
  env: readEnvironment(),
  stdin,
  stdout,
  stderr,
  signal: interrupted.signal,
  atEnd: [],
}
stdout.on('error', (thrown) => process.exit(unwritten(thrown, args, around)))
stderr.on('error', () => undefined) // progress that nobody can be told is no reason to stop
process.exitCode = await run(args, around)
