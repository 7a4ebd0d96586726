import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'

/** Whose cloud storages may be used: those of an organization, or without one those of a user. */
export interface Workspace {
  organization_id: number | null
  owner_id: number
}

/**
 * The single cloud storage of a workspace with the same provider, resource, attributes and manifests as another one
 * (`spec/api-workspace.md` 3.4); nothing where there is none, or more than one. No workspace has cloud storages so far.
 */
export async function findSimilarStorage(
  _db: Kysely<ProjectsDb>,
  _cloud_storage_id: number,
  _workspace: Workspace,
): Promise<number | undefined> {
  return undefined
}
