import { commentCreated, issueCreated } from '@reticle/contracts/events/issues'
import { jobCreated, taskCreated } from '@reticle/contracts/events/tasks'
import { type EventCause, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { jobRecords } from '../jobs/records.ts'
import { listJobsOf } from '../jobs/repo.ts'
import { commentRecords } from '../review/comments/records.ts'
import { listCommentsOf } from '../review/comments/repo.ts'
import { parentsOf } from '../review/issues/messages.ts'
import { issueRecords } from '../review/issues/records.ts'
import { listIssuesOf } from '../review/issues/repo.ts'
import { mostEvents } from '../tasks/deleted.ts'
import { taskRecords } from '../tasks/records.ts'
import type { TaskView } from '../tasks/repo.ts'

type Tx = Transaction<ProjectsDb>

/**
 * Emits the events of locked tasks, their jobs and issues, as if they were created by hand. Above `mostEvents` events
 * only those of the tasks are emitted.
 */
export async function emitPublished(
  tx: Tx,
  rows: readonly TaskView[],
  cause: EventCause,
): Promise<void> {
  const records = await taskRecords(tx, rows)
  const created = records.map((task) => ({ task }))
  await emitAll(tx, taskCreated, created, cause)
  const count = records.reduce((sum, { jobs }) => sum + jobs.count, records.length)
  if (count > mostEvents) return
  const ids = rows.map(({ id }) => id)
  const facts = (await jobRecords(tx, await listJobsOf(tx, ids))).map((job) => ({ job }))
  await emitAll(tx, jobCreated, facts, cause)
  await emitPublishedIssues(tx, ids, mostEvents - count, cause)
}

/** @param most limit on issues and comments together */
async function emitPublishedIssues(
  tx: Tx,
  task_ids: number[],
  most: number,
  cause: EventCause,
): Promise<void> {
  const issues = await listIssuesOf(tx, task_ids, most + 1)
  const comments = await listCommentsOf(tx, task_ids, most + 1)
  if (issues.length + comments.length > most) return
  const opened = await issueRecords(tx, issues)
  const commentRows = await commentRecords(tx, comments)
  const place = (row: Parameters<typeof parentsOf>[0] | undefined) => {
    if (!row) throw new Error('every record has a row')
    return parentsOf(row)
  }
  const openedIn = opened.map((issue, at) => ({ issue, ...place(issues[at]) }))
  await emitAll(tx, issueCreated, openedIn, cause)
  const saidIn = commentRows.map((comment, at) => ({ comment, ...place(comments[at]) }))
  await emitAll(tx, commentCreated, saidIn, cause)
}
