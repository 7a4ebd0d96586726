import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerPart } from '@reticle/cluster/part'
import { startParts } from '@reticle/cluster/parts'
import { startSystem } from '@reticle/cluster/system'
import { s3Blobs } from '@reticle/kit/blob/s3'
import { password } from '@reticle/tests/support/reticle'
import { type DaySystem, daySettings } from './day-system.ts'

const bucket = 'day'

/** Starts every app as a separate process, with real Kafka, MinIO and PostgreSQL. */
export async function openCluster(): Promise<DaySystem> {
  const folder = mkdtempSync(join(tmpdir(), 'reticle-day-'))
  chmodSync(folder, 0o755) // the account of the database must be able to enter the folder
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const { env: parts, parts: servers, stop: stopParts } = await startParts({ folder })
  const ended: string[] = []
  const system = await startSystem({
    ...{ parts, folder, bucket, gateways: 2, workers: 2 },
    admin: { username: 'admin', password, email: 'admin@localhost' },
    env: { ...daySettings, RETICLE_TMP_DIR: temporary, RETICLE_JOBS_SLOTS: '1' },
    onGone: (name, code) => ended.push(`${name} ended by itself with code ${code}`),
  }).catch(async (thrown) => {
    await stopParts()
    throw thrown
  })
  const { processes } = system
  const blobs = await s3Blobs({
    endpoint: parts.RETICLE_TEST_S3_ENDPOINT ?? '',
    accessKey: parts.RETICLE_TEST_S3_ACCESS_KEY ?? '',
    secretKey: parts.RETICLE_TEST_S3_SECRET_KEY ?? '',
    ...{ bucket, region: 'us-east-1' },
  })
  return {
    urls: () => system.urls,
    victims: { ...victimsOf(processes), ...victimsOf(servers) },
    pids: () => byKind(processes),
    logs: async () => [
      ...Object.values(processes).flatMap(({ log }) => readFileSync(log, 'utf8').split('\n')),
      ...ended,
    ],
    databaseOf: async (schema) => system.databaseOf(schema === 'requests' ? 'jobs' : schema),
    objects: async () => {
      const found: { key: string; size: number }[] = []
      for (const owner of ['requests/', 'projects/'])
        for await (const one of blobs.list(owner)) found.push(one)
      return found
    },
    age: async () => undefined, // the store sets its own dates
    restart: async () => {
      for (const name of Object.keys(processes)) await system.restart(name)
    },
    temporary,
    stop: async () => {
      await system.stop()
      await stopParts()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const victimsOf = (all: Record<string, ServerPart>): DaySystem['victims'] =>
  Object.fromEntries(
    Object.entries(all).map(([name, part]) => [
      name,
      async () => {
        await part.kill()
        await part.start()
      },
    ]),
  )

/** Groups process ids by kind: `gateway-1` and `gateway-2` are gateways. */
function byKind(processes: Record<string, ServerPart>): Record<string, number[]> {
  const kinds: Record<string, number[]> = {}
  for (const [name, { pid }] of Object.entries(processes)) {
    const kind = name.replace(/-\d+$/, '')
    kinds[kind] = [...(kinds[kind] ?? []), pid()]
  }
  return kinds
}
