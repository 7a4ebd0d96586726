import type { media } from '@reticle/contracts/api/media'
import type { OperationInput } from '@reticle/contracts/api/operation'
import { encodeFrame } from '@reticle/contracts/frame-lines'
import type { DataMeta } from '@reticle/contracts/rest/media'
import { type CallContext, invalidText, notFound, type Service, signedIn } from '@reticle/kit'
import { joinTexts } from '@reticle/kit/call/pieces'
import { runChange } from '@reticle/kit/db/change'
import type { Kysely } from 'kysely'
import { authorizeTarget } from '../access/authorize.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { listDisabledFrames } from '../ground-truth/repo.ts'
import type { BucketAccess } from '../storages/buckets/open.ts'
import { noDataText } from '../tasks/messages.ts'
import { findTask } from '../tasks/repo.ts'
import { type AttachSettings, attachMedia } from './attach.ts'
import { changeJobMeta, changeTaskMeta } from './change.ts'
import { listFoundFrames } from './list.ts'
import { locateChunk, locateFrame } from './locate.ts'
import { toChosenMeta, toDataMeta, toFrameSource } from './messages.ts'
import {
  findChapters,
  findDataSet,
  listFrames,
  listSizeRuns,
  readFrames,
  sumMedia,
} from './repo.ts'
import { extentHandlers } from './repo-extents.ts'
import { assertReachable, permittedSource } from './source.ts'
import { findViewed, type Viewed } from './viewed.ts'

type Db = Kysely<ProjectsDb>

export interface MediaDeps {
  db: Db
  outside: BucketAccess
  /** Connection pool of transactions that last as long as a stream; default: `db`. */
  bulk?: Db
  settings: AttachSettings
}

/** Builds the handlers of the metadata of media. jobs-svc reads the images themselves. */
export function mediaHandlers(deps: MediaDeps): Service<typeof media> {
  const { db, bulk = db, settings } = deps
  return {
    async getTaskDataMeta({ id }, context) {
      return dataMeta(db, await findViewed(db, signedIn(context), { target: 'task', id }))
    },

    async getJobDataMeta({ id }, context) {
      return dataMeta(db, await findViewed(db, signedIn(context), { target: 'job', id }))
    },

    async updateTaskDataMeta(input, context) {
      const principal = signedIn(context)
      const { id } = input
      await assertSource(deps, input, context)
      const turn = { ...context, row: `task:${id}` }
      await runChange(db, turn, (tx) => changeTaskMeta(tx, principal, input, context))
      return dataMeta(db, await findViewed(db, principal, { target: 'task', id }))
    },

    async updateJobDataMeta(input, context) {
      const principal = signedIn(context)
      const { id } = input
      const turn = { ...context, row: `job:${id}` }
      await runChange(db, turn, (tx) => changeJobMeta(tx, principal, input, context))
      return dataMeta(db, await findViewed(db, principal, { target: 'job', id }))
    },

    async getProjectDataMeta({ id }, context) {
      await authorizeTarget(db, signedIn(context), { target: 'project', id }, 'view')
      return sumMedia(db, id)
    },

    async listFrames(query, context) {
      return listFoundFrames(db, signedIn(context), query)
    },

    async attachMedia(input, context) {
      return bulk.transaction().execute((tx) => attachMedia(tx, input, settings, context))
    },

    async readFrames({ task_id, start, stop }) {
      const task = await findTask(db, task_id)
      if (!task) throw notFound()
      if (task.size === 0) throw invalidText(noDataText)
      if (start < 0 || stop >= task.size || start > stop)
        throw invalidText(`The frames ${start} to ${stop} are not within 0 to ${task.size - 1}`)
      const chunks = joinTexts(linesOf(db, task_id, start, stop))
      return { head: { type: 'application/x-ndjson' }, chunks }
    },

    ...extentHandlers(deps),

    async getFrameSizes({ task_id }) {
      if (!(await findTask(db, task_id))) throw notFound()
      return { runs: await listSizeRuns(db, task_id) }
    },

    async locateFrame(input, context) {
      return locateFrame(db, signedIn(context), input)
    },

    async locateChunk(input, context) {
      return locateChunk(db, signedIn(context), input)
    },
  }
}

type MetaChange = OperationInput<(typeof media)['updateTaskDataMeta']>

/**
 * Checks that a new cloud storage is available. The check runs before the transaction, because a remote store can be
 * slow.
 */
async function assertSource(
  { db, outside }: MediaDeps,
  { id: task_id, body: { cloud_storage_id } }: MetaChange,
  context: CallContext,
): Promise<void> {
  if (cloud_storage_id == null) return
  const principal = signedIn(context)
  await findViewed(db, principal, { target: 'task', id: task_id })
  const dataSet = await findDataSet(db, task_id)
  if (dataSet?.storage !== 'cloud_storage') return
  const row = await permittedSource(db, principal, { cloud_storage_id, task_id })
  if (dataSet.cloud_storage_id !== row.id) await assertReachable({ outside }, row, context)
}

async function dataMeta(db: Db, viewed: Viewed): Promise<DataMeta> {
  const { task_id, start, stop, size, chosen } = viewed
  if (size === 0) throw invalidText(noDataText)
  const dataSet = await findDataSet(db, task_id)
  if (!dataSet) throw notFound()
  const frames = await listFrames(db, task_id, start, stop)
  const whole = toDataMeta(dataSet, frames, await findChapters(db, task_id))
  if (!chosen) return whole
  const disabled = await listDisabledFrames(db, chosen.job_id)
  return toChosenMeta(whole, dataSet, { frames: chosen.frames, disabled })
}

/** A reader must not take a list cut short by the deletion of the task for complete, so that is an error. */
async function* linesOf(
  db: Db,
  task_id: number,
  start: number,
  stop: number,
): AsyncGenerator<string> {
  let next = start
  for await (const row of readFrames(db, task_id, start, stop)) {
    yield encodeFrame(toFrameSource(row))
    next = row.frame + 1
  }
  if (next <= stop) throw notFound('The task was deleted.')
}
