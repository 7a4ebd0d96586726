import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import {
  asServer,
  binary,
  createCluster,
  dataOf,
  readPassword,
} from '@reticle/standalone/postgres/cluster'
import { preparePostgresHome } from '@reticle/standalone/postgres/home'
import { postgresAnswers } from './answers.ts'
import { makePart, type OnExit, type ServerPart } from './part.ts'
import { freePort } from './ports.ts'

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  max_connections: '300',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
}

/**
 * The PostgreSQL from npm, placed and initialized as in the embedded mode. `fsync` stays on, because tests kill the
 * server.
 */
export async function postgresPart(
  folder: string,
  logs: string,
  onGone?: OnExit,
): Promise<ServerPart> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  const home = await preparePostgresHome({ dataDir: folder })
  const password = await readPassword(folder, home)
  if (!existsSync(dataOf(home))) await createCluster(home, password)
  let port = 0
  const url = () => `postgres://reticle:${password}@127.0.0.1:${port}/postgres`
  const flags = () =>
    Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ])
  return makePart({
    name: 'postgres',
    logs,
    onGone,
    choosePorts: async () => {
      port = await freePort()
    },
    command: () => ({
      command: binary(home, 'postgres'),
      args: ['-D', dataOf(home), ...flags()],
      signal: 'INT', // fast shutdown; TERM would wait for the clients
      ...asServer(home),
    }),
    isReady: () => postgresAnswers(url()),
    env: () => ({ RETICLE_TEST_DATABASE_URL: url() }),
  })
}
