import type { OperationInput } from '@reticle/contracts/api/operation'
import type { storages } from '@reticle/contracts/api/storages'
import type { SourceFiles } from '@reticle/contracts/rest/cloud-storages'
import type { Principal } from '@reticle/contracts/rest/principal'
import {
  type CallContext,
  conflict,
  type DomainError,
  invalid,
  notFound,
  type Service,
  signedIn,
} from '@reticle/kit'
import { type Bucket, BucketFailure } from '@reticle/kit/bucket/bucket'
import { assertPermitted } from '@reticle/kit/call/policy'
import type { Kysely } from 'kysely'
import { noSuchObject } from '../bodies/field-error.ts'
import type { CloudStorageRow, ProjectsDb } from '../db/schema.ts'
import {
  bucketOf,
  bucketSignal,
  toDomainError,
  withBucketErrors,
} from '../storages/buckets/open.ts'
import type { CloudStorageDeps } from '../storages/cloud/deps.ts'
import { cloudStorageRules } from '../storages/cloud/policy.ts'
import { findCloudStorage } from '../storages/cloud/repo.ts'
import { cloudStorageStanding } from '../storages/cloud/standing.ts'
import { findTask } from '../tasks/repo.ts'
import { findDataSet } from './repo.ts'

/**
 * Buckets as the source of media (`docs/spec/workspace.md#attaching-media`). This service reads the bytes, so that no
 * other service opens credentials.
 */

type SourceMethods = 'permitSource' | 'listSourceFiles' | 'readSourceFile'
type SourceQuery = OperationInput<typeof storages.permitSource>

/** Number of files on a page. */
const pageSize = 500

export function sourceHandlers(
  deps: CloudStorageDeps,
): Pick<Service<typeof storages>, SourceMethods> {
  const { db, outside } = deps
  return {
    async permitSource(query, context) {
      await permittedSource(db, signedIn(context), query)
      return {}
    },

    async listSourceFiles({ prefix, is_key, token, ...query }, context) {
      const row = await permittedSource(db, signedIn(context), query)
      return withBucketErrors(async () => {
        const { bucket, attributes } = await bucketOf(outside, row)
        const signal = bucketSignal(context)
        if (is_key) return oneFile(bucket, { key: prefix, shown: attributes.prefix }, signal)
        const below = narrower(attributes.prefix, prefix)
        if (below === undefined) return { files: [] }
        const { files, next } = await bucket.files({ prefix: below, token, size: pageSize }, signal)
        return { files, ...(next !== null && { next }) }
      })
    },

    async readSourceFile({ task_id, cloud_storage_id, key, start, end }, context) {
      const row =
        cloud_storage_id === undefined
          ? await sourceOf(db, task_id)
          : await permittedSource(db, signedIn(context), { task_id, cloud_storage_id })
      return withBucketErrors(async () => {
        const { bucket, attributes } = await bucketOf(outside, row)
        if (!key.startsWith(attributes.prefix)) throw missing(key)
        const chunks = bucket.read(key, { start, end }, context.signal)
        return { head: {}, chunks: withSourceErrors(chunks, key) }
      })
    },
  }
}

/**
 * Returns a storage whose files the caller may attach to a task.
 *
 * @throws DomainError not_found without the task, forbidden for a storage that the caller may not view, else invalid
 */
export async function permittedSource(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  { cloud_storage_id, task_id }: SourceQuery,
): Promise<CloudStorageRow> {
  const task = await findTask(db, task_id)
  if (!task) throw notFound()
  const row = await findCloudStorage(db, cloud_storage_id)
  if (!row) throw invalid({ cloud_storage_id: noSuchObject(cloud_storage_id) })
  assertPermitted(cloudStorageRules, 'view', principal, cloudStorageStanding(principal, row))
  if (row.organization_id !== task.organization_id)
    throw invalid({ cloud_storage_id: 'The cloud storage belongs to another workspace.' })
  return row
}

/** @throws DomainError conflict when the storage was detached */
async function sourceOf(db: Kysely<ProjectsDb>, task_id: number): Promise<CloudStorageRow> {
  const dataSet = await findDataSet(db, task_id)
  if (!dataSet) throw notFound()
  const { cloud_storage_id: id } = dataSet
  const row = id === null ? undefined : await findCloudStorage(db, id)
  if (!row) throw detached()
  return row
}

/** Returns the error for frames of a task whose storage was deleted or detached. */
export const detached = (): DomainError =>
  conflict(
    'The media of this task is in a cloud storage that was detached from it. Name another one: cloud_storage_id in its data/meta.',
    { code: 'storage_detached' },
  )

/** Checks that a storage can be read. @throws DomainError invalid when it does not exist or is unavailable */
export async function assertReachable(
  { outside }: Pick<CloudStorageDeps, 'outside'>,
  row: CloudStorageRow,
  context: CallContext,
): Promise<void> {
  const isAvailable = await withBucketErrors(async () => {
    const { bucket, attributes } = await bucketOf(outside, row)
    return (await bucket.probe(attributes.prefix, bucketSignal(context))) === 'available'
  })
  if (!isAvailable) throw invalid({ cloud_storage_id: 'The cloud storage is not available.' })
}

async function oneFile(
  bucket: Bucket,
  { key, shown }: { key: string; shown: string },
  signal: AbortSignal,
): Promise<SourceFiles> {
  if (!key.startsWith(shown)) return { files: [] }
  const { files } = await bucket.files({ prefix: key, size: 1 }, signal)
  return { files: files.filter((one) => one.key === key) }
}

/** Returns the longer of two nested prefixes; undefined when neither contains the other. */
function narrower(one: string, other: string): string | undefined {
  if (one.startsWith(other)) return one
  return other.startsWith(one) ? other : undefined
}

const missing = (key: string) =>
  notFound(`The cloud storage does not have "${key}" any more.`, 'object_missing')

async function* withSourceErrors(
  chunks: AsyncIterable<Uint8Array>,
  key: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (thrown) {
    if (!(thrown instanceof BucketFailure)) throw thrown
    throw thrown.reason === 'no_key' ? missing(key) : toDomainError(thrown)
  }
}
