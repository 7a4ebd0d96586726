import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  type CommandArguments,
  type CommandLine,
  type OpsCommand,
  textOf,
  UsageError,
} from '@reticle/kit/ops/command-line'
import { serviceCommands } from '@reticle/kit/ops/service'
import type { OpsService, OpsServices } from '@reticle/kit/ops/target'
import * as projects from '@reticle/projects-svc'
import * as webhooks from '@reticle/webhooks-svc'
import type { StandaloneConfig } from '../config.ts'
import { writeBackup } from './backup.ts'
import { withDatabase } from './reach.ts'
import { restoreBackup } from './restore.ts'
import { upgradePostgres } from './upgrade.ts'

/** Services by their names in the commands. */
const services: readonly OpsService[] = [
  { service: 'projects-svc', schema: 'projects', sealed: projects.sealed },
  { service: 'annotations-svc', schema: 'annotations', sealed: [] },
  { service: 'jobs-svc', schema: 'requests', sealed: [] },
  { service: 'webhooks-svc', schema: 'webhooks', sealed: webhooks.sealed },
]

/** Creates `npm run ops`: the operator's commands for a running or stopped installation. */
export function opsProgram(config: StandaloneConfig): CommandLine {
  const reached: OpsServices = { services, reach: reachOf(config) }
  return {
    call: 'npm run ops --',
    about: `Operator commands for the Reticle in RETICLE_DATA_DIR (.reticle), whether it runs or not; for services with databases
of their own give RETICLE_<SERVICE>_DATABASE_URL, for one of yours RETICLE_DATABASE_URL.`,
    commands: [
      ...serviceCommands(reached, () => secretKeys(config)),
      backupCommand(config),
      restoreCommand(config),
      upgradeCommand(config),
    ],
  }
}

/** Returns a service's own database address if configured, else that of the whole installation. */
function reachOf(config: StandaloneConfig): OpsServices['reach'] {
  const own = ({ service }: OpsService) => {
    const [prefix = ''] = service.split('-')
    return config.env[`RETICLE_${prefix.toUpperCase()}_DATABASE_URL`] || undefined
  }
  return async (work) => {
    if (services.every(own)) return work((one) => own(one) ?? '')
    return withDatabase(config, (url) => work((one) => own(one) ?? url))
  }
}

async function secretKeys({ secretKeys: given, dataDir }: StandaloneConfig): Promise<string> {
  if (given) return given
  const file = join(dataDir, 'secret-keys')
  return readFile(file, 'utf8').catch((cause) => {
    throw new Error(`there is no ${file}: give the keys in RETICLE_SECRET_KEYS`, { cause })
  })
}

const backupCommand = (config: StandaloneConfig): OpsCommand => ({
  name: 'backup',
  summary: 'write database, objects and keys to a folder or a tar file',
  usage: '--to PATH',
  about: `Rows of one moment, then objects, while Reticle runs or not. A PATH that ends with .tar becomes one file, any other a
folder; it must not be there yet. It holds the keys as well: keep it as you keep them.`,
  examples: ['backup --to backup.tar', 'backup --to /mnt/backups/monday'],
  options: { to: { type: 'string' } },
  run: (given, print) => writeBackup(config, pathOf(given, 'to'), print),
})

const restoreCommand = (config: StandaloneConfig): OpsCommand => ({
  name: 'restore',
  summary: 'make a new data directory out of a backup',
  usage: '--from PATH',
  about: `Into the data directory that RETICLE_DATA_DIR names, which must be empty or missing; with RETICLE_DATABASE_URL into that
database, which must be empty too. Every row and object is checked, then the schemas are brought up to date. A backup
of a newer Reticle is refused. In a cluster, "republish" comes next: see docs/operations.md.`,
  examples: ['restore --from backup.tar'],
  options: { from: { type: 'string' } },
  run: (given, print) => restoreBackup(config, pathOf(given, 'from'), print),
})

const upgradeCommand = (config: StandaloneConfig): OpsCommand => ({
  name: 'upgrade-postgres',
  summary: 'move the embedded database to the PostgreSQL of this version',
  usage: '[--old-binaries FOLDER]',
  about: `When "npm start" says that the database belongs to an older PostgreSQL. FOLDER has the bin/ of that older one; without it
the command says how to get it. Stop Reticle first. The old database stays beside the new one until you remove it.`,
  examples: ['upgrade-postgres', 'upgrade-postgres --old-binaries /usr/lib/postgresql/17'],
  options: { 'old-binaries': { type: 'string' } },
  run: async (given, print) => {
    if (config.databaseUrl) throw new Error('RETICLE_DATABASE_URL is set: that server is not ours')
    const folder = textOf(given, 'old-binaries')
    await upgradePostgres(config, folder && resolve(folder), print)
  },
})

function pathOf(given: CommandArguments, name: string): string {
  const path = textOf(given, name)
  if (path) return resolve(path)
  throw new UsageError(`--${name}: a path is needed`)
}
