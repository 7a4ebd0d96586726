import { statfs } from 'node:fs/promises'
import type { HealthChecks } from '@reticle/gateway'
import { unavailable } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { type Kysely, sql } from 'kysely'

const fullestDisk = 0.9

/** What `GET /server/health` looks at (`spec/api-workspace.md` 1.10). Each throws what is wrong. */
export function healthChecks<T>(db: Kysely<T>, blobs: BlobStore, dataDir: string): HealthChecks {
  return {
    DatabaseBackend: async () => {
      await sql`select 1`.execute(db)
    },
    ObjectStorage: async () => {
      for await (const _ of blobs.list('health')) break
    },
    DiskUsage: async () => {
      assertRoom(await statfs(dataDir))
    },
  }
}

/** @throws DomainError unavailable above 90 %, in words that anybody may read */
export function assertRoom({ blocks, bavail }: { blocks: number; bavail: number }): void {
  const used = 1 - bavail / blocks
  if (used > fullestDisk) throw unavailable(`the disk is ${Math.round(used * 100)} % full`)
}
