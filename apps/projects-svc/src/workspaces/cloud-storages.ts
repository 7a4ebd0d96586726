import { cloudStorageDeleted, cloudStorageUpdated } from '@reticle/contracts/events/cloud-storages'
import { type EventCause, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { fieldsBefore } from '../bodies/changes.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { cloudStorageRecords } from '../storages/cloud/records.ts'
import {
  deleteCloudStorages,
  lockCloudStoragesOfOrganization,
  releaseCloudStorages,
} from '../storages/cloud/repo.ts'
import { deleteUses } from '../storages/repo.ts'
import { mostEvents } from '../tasks/deleted.ts'

type Tx = Transaction<ProjectsDb>

/** Moves the cloud storages of a deleted organization to their owners. */
export async function releaseCloudStoragesOf(
  tx: Tx,
  organization_id: number,
  cause: EventCause,
): Promise<void> {
  const rows = await lockCloudStoragesOfOrganization(tx, organization_id)
  const before = await cloudStorageRecords(tx, rows)
  const after = await cloudStorageRecords(tx, await releaseCloudStorages(tx, organization_id))
  if (rows.length > mostEvents) return // above the limit, only the event of the organization is emitted
  const facts = after.flatMap((cloudstorage, index) => {
    const was = before[index]
    return was ? [{ cloudstorage, before_update: fieldsBefore(was, cloudstorage) }] : []
  })
  await emitAll(tx, cloudStorageUpdated, facts, cause)
}

/** Deletes the cloud storages of an organization. Call it after the projects and tasks that use them are deleted. */
export async function removeCloudStoragesOf(
  tx: Tx,
  organization_id: number,
  cause: EventCause,
): Promise<void> {
  const rows = await lockCloudStoragesOfOrganization(tx, organization_id)
  const ids = rows.map(({ id }) => id)
  if (rows.length <= mostEvents) {
    const records = await cloudStorageRecords(tx, rows)
    const facts = records.map((cloudstorage) => ({ cloudstorage }))
    await emitAll(tx, cloudStorageDeleted, facts, cause)
  }
  await deleteUses(tx, ids)
  await deleteCloudStorages(tx, ids)
}
