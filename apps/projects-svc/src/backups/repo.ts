import type { BackupIssue, BackupProject } from '@reticle/contracts/rest/backups'
import type { Kysely } from 'kysely'
import type { IssueRow, JobRow, ProjectsDb } from '../db/schema.ts'
import { listValidationFrames } from '../ground-truth/repo.ts'
import { findDataSet } from '../media/repo.ts'
import type { BackupTaskRows } from './messages.ts'

type Db = Kysely<ProjectsDb>

export async function findBackupProject(db: Db, id: number): Promise<BackupProject | undefined> {
  return db
    .selectFrom('projects')
    .leftJoin('guides', 'guides.project_id', 'projects.id')
    .select(['name', 'bug_tracker', 'status', 'guides.markdown as guide'])
    .where('projects.id', '=', id)
    .executeTakeFirst()
}

/** Lists the tasks of a project that have media, in id order. */
export async function listTaskIdsWithMedia(db: Db, project_id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('project_id', '=', project_id)
    .where('size', '>', 0)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Reads the guide, media, jobs and ground truth of a task that has media. */
export async function readBackupTask(db: Db, id: number): Promise<Omit<BackupTaskRows, 'row'>> {
  const dataSet = await findDataSet(db, id)
  if (!dataSet) throw new Error(`task ${id} has frames and no data set`)
  const jobs = await listOwnJobs(db, id)
  const guide = await db
    .selectFrom('guides')
    .select('markdown')
    .where('task_id', '=', id)
    .executeTakeFirst()
  return {
    guide: guide?.markdown ?? null,
    dataSet,
    jobs,
    truth: await listValidationFrames(db, id),
  }
}

/** Lists the jobs of a task of every type, in id order. */
export function listOwnJobs(db: Db, task_id: number): Promise<JobRow[]> {
  return db.selectFrom('jobs').selectAll().where('task_id', '=', task_id).orderBy('id').execute()
}

/** Row of an issue with the name of its owner. */
export type BackupIssueRow = Pick<IssueRow, 'id' | 'job_id' | 'frame' | 'position' | 'resolved'> & {
  owner: string | null
}

const page = 500

/** Lists a page of the issues of a task with ids above `after`, in id order. */
export function listIssuesAfter(db: Db, task_id: number, after: number): Promise<BackupIssueRow[]> {
  return db
    .selectFrom('issues')
    .innerJoin('jobs', 'jobs.id', 'issues.job_id')
    .leftJoin('users', 'users.id', 'issues.owner_id')
    .select(['issues.id', 'job_id', 'frame', 'position', 'resolved', 'users.username as owner'])
    .where('jobs.task_id', '=', task_id)
    .where('issues.id', '>', after)
    .orderBy('issues.id')
    .limit(page)
    .execute()
}

/** Lists comments by issue, oldest first. */
export async function listCommentsOf(
  db: Db,
  issue_ids: readonly number[],
): Promise<Map<number, BackupIssue['comments']>> {
  const rows = await db
    .selectFrom('comments')
    .leftJoin('users', 'users.id', 'comments.owner_id')
    .select(['issue_id', 'message', 'users.username as owner'])
    .where((where) => where('issue_id', '=', where.fn.any(where.val([...issue_ids]))))
    .orderBy('comments.id')
    .execute()
  const found = new Map<number, BackupIssue['comments']>()
  for (const { issue_id, ...comment } of rows) {
    const list = found.get(issue_id) ?? []
    found.set(issue_id, [...list, comment])
  }
  return found
}
