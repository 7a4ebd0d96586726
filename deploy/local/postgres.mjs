import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { postgresAnswers } from './answers.mjs'
import { makePart } from './part.mjs'
import { freePort } from './ports.mjs'

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
export async function postgresPart(folder, logs, onGone) {
  const { preparePostgresHome } = await built('postgres-home')
  const { asServer, binary, createCluster, dataOf, readPassword } = await built('postgres-cluster')
  await mkdir(folder, { recursive: true, mode: 0o755 })
  const home = await preparePostgresHome({ dataDir: folder })
  const password = await readPassword(folder, home)
  if (!existsSync(dataOf(home))) await createCluster(home, password)
  let port
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

function built(name) {
  const file = new URL(`../../apps/standalone/dist/${name}.js`, import.meta.url)
  if (existsSync(file)) return import(file.href)
  throw new Error('apps/standalone is not built: run npm run build')
}
