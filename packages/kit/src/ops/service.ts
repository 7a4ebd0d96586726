import { databasePart } from '../process/settings.ts'
import type { Env } from '../settings/config.ts'
import { type CommandLine, type CommandOutput, runCommand } from './command-line.ts'
import { deadCommands } from './dead.ts'
import { pauseCommand } from './pause.ts'
import { republishCommand } from './republish.ts'
import { rotateCommand } from './rotate.ts'
import type { OpsService, OpsServices } from './target.ts'

/**
 * Returns the operator commands for services, independent of where their databases are.
 * @param keys reads `RETICLE_SECRET_KEYS` of the installation
 */
export const serviceCommands = (services: OpsServices, keys: () => Promise<string>) => [
  ...deadCommands(services),
  republishCommand(services),
  pauseCommand(services),
  rotateCommand(services, keys),
]

/**
 * Runs the operator program of one service in a cluster: `node apps/<service>/dist/admin.js dead list`. It reads the
 * same settings as the service.
 * @returns the exit code
 */
export function runServiceOps(
  service: OpsService,
  env: Env,
  argv: readonly string[],
  terminal?: CommandOutput,
): Promise<number> {
  const name = service.service
  const prefix = (name.split('-')[0] ?? name).toUpperCase()
  const services: OpsServices = {
    services: [service],
    reach: async (work) => {
      const { url } = databasePart(prefix)(env)
      return work(() => url)
    },
  }
  const keys = async () => {
    const given = env.RETICLE_SECRET_KEYS
    if (!given) throw new Error('RETICLE_SECRET_KEYS is not set: give it as the services have it')
    return given
  }
  const program: CommandLine = {
    call: `node apps/${name}/dist/admin.js`,
    about: `Operator commands of ${name}. They read the same settings as the service.`,
    commands: serviceCommands(services, keys),
  }
  return runCommand(program, argv, terminal)
}
