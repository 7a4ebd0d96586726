import type { OperationInput } from '@reticle/contracts/api/operation'
import type { storages } from '@reticle/contracts/api/storages'
import { cloudStorageFields } from '@reticle/contracts/rest/cloud-storages'
import type { Principal } from '@reticle/contracts/rest/principal'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import { visibleIn } from '../../access/repo-scope.ts'
import { supervisorOf } from '../../access/roles.ts'
import type { CloudStorageRow, ProjectsDb } from '../../db/schema.ts'

type Query = OperationInput<typeof storages.listCloudStorages>

const columns = {
  id: 'cloud_storages.id',
  name: 'cloud_storages.display_name',
  resource: 'cloud_storages.resource',
  owner: 'owner.username',
  provider_type: 'cloud_storages.provider_type',
  credentials_type: 'cloud_storages.credentials_type',
  description: 'cloud_storages.description',
} as const satisfies ColumnsOf<typeof cloudStorageFields>

/** Lists a page of the cloud storages that the caller may see. */
export function listCloudStorages(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<ListPage<CloudStorageRow>> {
  const rows = db
    .selectFrom('cloud_storages')
    .leftJoin('users as owner', 'owner.id', 'cloud_storages.owner_id')
    .selectAll('cloud_storages')
    .where(visibleTo(principal))
  return listPage(rows, query, cloudStorageFields, columns)
}

/**
 * Restricts to storages that the caller owns. In an organization, supervisors with the global role user or above see
 * all.
 */
function visibleTo(principal: Principal) {
  const isStaff = sql<SqlBool>`(cloud_storages.owner_id = ${principal.user_id}
    or cloud_storages.organization_id = any(${supervisorOf(principal)}::int[]))`
  const organization = sql.ref('cloud_storages.organization_id')
  return visibleIn(principal, { organization, isStaff })
}
