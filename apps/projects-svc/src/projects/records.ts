import type { Project } from '@reticle/contracts/rest/projects'
import type { Kysely } from 'kysely'
import type { Owner } from '../access/owner.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { listLabelsOf } from '../labels/repo.ts'
import { peopleOf } from '../organizations/index.ts'
import { listStoragesOf } from '../storages/repo.ts'
import { type ProjectSurroundings, toProject } from './messages.ts'
import { summarizeProjects } from './repo.ts'

/** Related rows that the caller has read already. */
type KnownOfProjects = Partial<Pick<ProjectSurroundings, 'labels' | 'summaries'>>

/** Converts project rows to records in the same order, with five queries for any number of rows. */
export async function projectRecords(
  db: Kysely<ProjectsDb>,
  rows: readonly ProjectRow[],
  known: KnownOfProjects = {},
): Promise<Project[]> {
  const owners = rows.map((row): Owner => ({ kind: 'project', id: row.id }))
  const around = {
    people: await peopleOf(
      db,
      rows.flatMap((row) => [row.owner_id, row.assignee_id]),
    ),
    labels: known.labels ?? (await listLabelsOf(db, owners)),
    storages: await listStoragesOf(db, owners),
    summaries:
      known.summaries ??
      (await summarizeProjects(
        db,
        rows.map((row) => row.id),
      )),
  }
  return rows.map((row) => toProject(row, around))
}

export async function projectRecord(
  db: Kysely<ProjectsDb>,
  row: ProjectRow,
  known?: KnownOfProjects,
): Promise<Project> {
  const [record] = await projectRecords(db, [row], known)
  if (!record) throw new Error(`project ${row.id} has no record`)
  return record
}
