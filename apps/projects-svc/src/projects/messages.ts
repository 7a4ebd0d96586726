import type { Label } from '@reticle/contracts/rest/labels'
import type { Project } from '@reticle/contracts/rest/projects'
import { type Owner, ownerKey } from '../access/owner.ts'
import type { ProjectRow } from '../db/schema.ts'
import { type People, personOf } from '../organizations/index.ts'
import { type Storages, storageOf } from '../storages/repo.ts'
import type { ProjectSummary } from './repo.ts'

/** Related rows of projects, read for all of them together. */
export interface ProjectSurroundings {
  people: People
  labels: ReadonlyMap<string, Label[]>
  storages: Storages
  summaries: ReadonlyMap<number, ProjectSummary>
}

/** Converts a row to a project record. */
export function toProject(row: ProjectRow, around: ProjectSurroundings): Project {
  const owner: Owner = { kind: 'project', id: row.id }
  const summary = around.summaries.get(row.id)
  return {
    url: `/projects/${row.id}`,
    id: row.id,
    name: row.name,
    owner: personOf(around.people, row.owner_id),
    assignee: personOf(around.people, row.assignee_id),
    assignee_updated_date: row.assignee_updated_date?.toISOString() ?? null,
    status: row.status,
    labels: around.labels.get(ownerKey(owner)) ?? [],
    bug_tracker: row.bug_tracker,
    guide_id: summary?.guide_id ?? null,
    task_subsets: summary?.subsets ?? [],
    dimension: summary?.dimension ?? null,
    created_date: row.created_date.toISOString(),
    updated_date: row.updated_date.toISOString(),
    revision: row.revision,
    organization: row.organization_id,
    organization_id: row.organization_id,
    source_storage: storageOf(around.storages, owner, 'source'),
    target_storage: storageOf(around.storages, owner, 'target'),
    tasks: { count: summary?.count ?? 0, url: `/tasks?project_id=${row.id}` },
  }
}
