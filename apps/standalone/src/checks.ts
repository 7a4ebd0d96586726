import {
  assertStoreReachable,
  createProcessChecks,
  type HealthChecks,
  scaledImagePrefix,
} from '@reticle/gateway'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { type Kysely, sql } from 'kysely'

interface Looked<P, R> {
  people: Kysely<P>
  requests: Kysely<R>
  blobs: BlobStore
  /** Directory of the database and the objects. */
  dataDir: string
}

/** Creates the checks of `GET /server/health`. Each throws an error that describes the fault. */
export function healthChecks<P, R>(
  { people, requests, blobs, dataDir }: Looked<P, R>,
  settings: Parameters<typeof createProcessChecks>[0],
): HealthChecks {
  return {
    DatabaseBackend: async () => {
      await sql`select 1`.execute(people)
    },
    Cache: () => assertStoreReachable(blobs, scaledImagePrefix),
    Queue: async () => {
      await sql`select 1 from requests limit 1`.execute(requests)
    },
    ObjectStorage: () => assertStoreReachable(blobs, 'health'),
    ...createProcessChecks(settings, dataDir),
  }
}
