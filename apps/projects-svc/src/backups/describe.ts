import { encodeBackupLine } from '@reticle/contracts/backup-lines'
import type { BackupIssue, BackupTask } from '@reticle/contracts/rest/backups'
import type { Kysely } from 'kysely'
import type { FactsTarget } from '../access/repo-facts.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { toFrameSource } from '../media/messages.ts'
import { readFrames } from '../media/repo.ts'
import { findTask } from '../tasks/repo.ts'
import { toBackupTask } from './messages.ts'
import {
  type BackupIssueRow,
  findBackupProject,
  listCommentsOf,
  listIssuesAfter,
  listTaskIdsWithMedia,
  readBackupTask,
} from './repo.ts'

type Db = Kysely<ProjectsDb>

/**
 * Yields the backup lines of a project or task. A project includes its tasks that have media, in id order. Each task
 * is read from one snapshot; a task deleted during the backup is left out.
 */
export async function* backupLinesOf(
  db: Db,
  { target, id }: Pick<FactsTarget, 'target' | 'id'>,
): AsyncGenerator<string> {
  if (target === 'task') return yield* linesOfTask(db, id)
  const project = await findBackupProject(db, id)
  if (!project) return
  yield encodeBackupLine({ project })
  for (const task_id of await listTaskIdsWithMedia(db, id)) yield* linesOfTask(db, task_id)
}

async function* linesOfTask(db: Db, id: number): AsyncGenerator<string> {
  const read = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const row = await findTask(tx, id)
      return row && row.size > 0 ? { row, ...(await readBackupTask(tx, id)) } : undefined
    })
  if (!read) return
  const task = toBackupTask(read)
  yield encodeBackupLine({ task })
  for await (const frame of readFrames(db, id, 0, read.row.size - 1))
    yield encodeBackupLine({ frame: toFrameSource(frame) })
  for await (const issue of issuesOf(db, id, task)) yield encodeBackupLine({ issue })
}

async function* issuesOf(
  db: Db,
  task_id: number,
  { jobs }: BackupTask,
): AsyncGenerator<BackupIssue> {
  const places = new Map(jobs.map(({ id }, place) => [id, place]))
  for (let after = 0; ; ) {
    const rows = await listIssuesAfter(db, task_id, after)
    const [last] = rows.slice(-1)
    if (!last) return
    const comments = await listCommentsOf(
      db,
      rows.map(({ id }) => id),
    )
    for (const row of rows) {
      const job = places.get(row.job_id)
      if (job !== undefined) yield toIssue(row, job, comments.get(row.id) ?? [])
    }
    after = last.id
  }
}

const toIssue = (
  { frame, position, resolved, owner }: BackupIssueRow,
  job: number,
  comments: BackupIssue['comments'],
): BackupIssue => ({ job, frame, position, resolved, owner, comments })
