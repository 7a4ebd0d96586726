import { type CallContext, notFound, signedIn } from '@reticle/kit'
import { assertPermitted } from '@reticle/kit/call/policy'
import type { Kysely } from 'kysely'
import type { CloudStorageRow, ProjectsDb } from '../../db/schema.ts'
import { cloudStorageRules } from './policy.ts'
import { findCloudStorage } from './repo.ts'
import { cloudStorageStanding } from './standing.ts'

/** Returns a storage that the caller may view. @throws DomainError not_found, forbidden */
export async function visibleStorage(
  db: Kysely<ProjectsDb>,
  id: number,
  context: CallContext,
): Promise<CloudStorageRow> {
  const principal = signedIn(context)
  const row = await findCloudStorage(db, id)
  if (!row) throw notFound()
  assertPermitted(cloudStorageRules, 'view', principal, cloudStorageStanding(principal, row))
  return row
}
