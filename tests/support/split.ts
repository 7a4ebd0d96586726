import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type System, type SystemOptions, startSystem } from '@reticle/cluster/system'
import { createApiClient } from './client.ts'
import { basic, password } from './reticle.ts'

/**
 * A system with every app as a separate process, on the PostgreSQL, Kafka and object store of the test run, with its
 * own database and bucket.
 */
export interface SplitSystem extends System {
  folder: string
  admin: ReturnType<typeof createApiClient>
}

/** Settings of the processes that differ from the defaults in tests. */
const testSettings = {
  RETICLE_LOG_LEVEL: 'warn',
  RETICLE_GATEWAY_RATE_ANONYMOUS: '100000',
  RETICLE_GATEWAY_RATE_USER: '1000000',
  RETICLE_WEBHOOKS_ALLOW_HTTP: 'true',
  RETICLE_WEBHOOKS_ALLOWED_NETS: '127.0.0.0/8',
  RETICLE_STORAGES_ALLOWED_NETS: '127.0.0.0/8',
  RETICLE_JOBS_SLOTS: '1',
}

/** Starts a system; `name` distinguishes its database and bucket from others in the same run. */
export async function startSplit(
  name: string,
  { env, ...options }: Partial<SystemOptions> = {},
): Promise<SplitSystem> {
  const folder = mkdtempSync(join(tmpdir(), `reticle-${name}-`))
  const unique = `${name}_${process.pid}`
  const system = await startSystem({
    parts: process.env, // with the addresses of the running servers, `RETICLE_TEST_*`
    folder,
    admin: { username: 'admin', password, email: 'admin@localhost' },
    gateways: 2,
    workers: 2,
    database: unique,
    bucket: unique.replace('_', '-'),
    ...options,
    env: { ...testSettings, ...env },
  })
  return {
    ...system,
    folder,
    admin: createApiClient(`${system.url}/api`, basic),
    stop: async () => {
      const exitCodes = await system.stop()
      rmSync(folder, { recursive: true, force: true })
      return exitCodes
    },
  }
}
