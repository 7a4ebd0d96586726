import { exitCodes, runCommand } from '@reticle/kit/ops/command-line'
import { ConfigError } from '@reticle/kit/settings/config'
import { readConfig } from '../config.ts'
import { opsProgram } from './commands.ts'

/** Entry point of `npm run ops -- <command>`. */
try {
  process.exitCode = await runCommand(opsProgram(readConfig()), process.argv.slice(2))
} catch (thrown) {
  if (!(thrown instanceof ConfigError)) throw thrown
  process.stderr.write(`${thrown.message}\n`)
  process.exitCode = exitCodes.failed
}
