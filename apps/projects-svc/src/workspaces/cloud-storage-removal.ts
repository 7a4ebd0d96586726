import type { OperationInput } from '@reticle/contracts/api/operation'
import type { storages } from '@reticle/contracts/api/storages'
import { cloudStorageDeleted } from '@reticle/contracts/events/cloud-storages'
import { type CallContext, conflict, notFound, type Service, signedIn } from '@reticle/kit'
import { assertMatches } from '@reticle/kit/call/etag'
import { assertPermitted } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import { busy } from '@reticle/kit/db/errors'
import { emit } from '@reticle/kit/outbox/emit'
import type { Kysely, Transaction } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { emitChanges, recordsIfFew } from '../projects/emit-changes.ts'
import { lockProjects, moveProjectRevisions } from '../projects/repo.ts'
import { cloudStorageRules } from '../storages/cloud/policy.ts'
import { cloudStorageRecord } from '../storages/cloud/records.ts'
import { deleteCloudStorages, findCloudStorage, lockCloudStorage } from '../storages/cloud/repo.ts'
import { cloudStorageStanding } from '../storages/cloud/standing.ts'
import { countUses, deleteUses, listUsers } from '../storages/repo.ts'
import { lockTasks, moveTaskRevisions } from '../tasks/repo.ts'

type Tx = Transaction<ProjectsDb>
type Removal = OperationInput<typeof storages.deleteCloudStorage>

/** Builds the handler that deletes a cloud storage. */
export function cloudStorageRemovalHandlers({
  db,
}: {
  db: Kysely<ProjectsDb>
}): Pick<Service<typeof storages>, 'deleteCloudStorage'> {
  return {
    async deleteCloudStorage(input, context) {
      await runChange(db, context, (tx) => removeCloudStorage(tx, input, context))
    },
  }
}

/**
 * Deletes a storage. When projects or tasks use it, the call fails; with `force` their references to it are removed.
 */
async function removeCloudStorage(
  tx: Tx,
  { id, force = false, if_match }: Removal,
  context: CallContext,
): Promise<void> {
  const principal = signedIn(context)
  const seen = await findCloudStorage(tx, id)
  if (!seen) throw notFound()
  assertPermitted(cloudStorageRules, 'delete', principal, cloudStorageStanding(principal, seen))
  assertMatches(if_match, seen)
  const users = await lockUsers(tx, id)
  const row = await lockCloudStorage(tx, id)
  if (!row) throw notFound()
  assertPermitted(cloudStorageRules, 'delete', principal, cloudStorageStanding(principal, row))
  assertMatches(if_match, row)
  const uses = await countUses(tx, id)
  if (uses > 0 && !force) throw inUse(users)
  if (uses !== users.uses) throw busy() // another transaction changed the uses before the lock
  await release(tx, id, users, context)
  const cause = { ...context, organization_id: row.organization_id }
  await emit(tx, cloudStorageDeleted, { cloudstorage: await cloudStorageRecord(tx, row) }, cause)
  await deleteCloudStorages(tx, [id])
}

type Users = Awaited<ReturnType<typeof lockUsers>>

/** Locks the projects and tasks that use the storage. Their locks come before the lock of the storage. */
async function lockUsers(tx: Tx, id: number) {
  const { project_ids, task_ids, uses } = await listUsers(tx, id)
  const projects = await lockProjects(tx, project_ids)
  const tasks = await lockTasks(tx, task_ids)
  return { projects, tasks, uses }
}

const inUse = ({ projects, tasks }: Users) =>
  conflict(
    `The cloud storage is in use by ${projects.length} projects and ${tasks.length} tasks: change them, or delete with force=true.`,
    { code: 'storage_in_use' },
  )

/**
 * Emits one event for each project and task, unless there are too many: then only the event of the storage is
 * emitted.
 */
async function release(tx: Tx, id: number, users: Users, context: CallContext): Promise<void> {
  if (users.uses === 0) return
  const before = await recordsIfFew(tx, users)
  await deleteUses(tx, [id])
  const project_ids = users.projects.map((one) => one.id)
  const task_ids = users.tasks.map((one) => one.id)
  await moveProjectRevisions(tx, project_ids)
  await moveTaskRevisions(tx, task_ids)
  if (!before) return
  const projects = await lockProjects(tx, project_ids)
  await emitChanges(tx, before, { projects, tasks: await lockTasks(tx, task_ids) }, context)
}
