import type { CloudStorage } from '@reticle/contracts/rest/cloud-storages'
import type { CloudStorageRow } from '../../db/schema.ts'
import { type People, personOf } from '../../organizations/index.ts'

/** Converts a row to a cloud storage record. It contains the type of the credentials but no secret. */
export function toCloudStorage(row: CloudStorageRow, people: People): CloudStorage {
  return {
    id: row.id,
    provider_type: row.provider_type,
    resource: row.resource,
    display_name: row.display_name,
    description: row.description,
    credentials_type: row.credentials_type,
    specific_attributes: row.specific_attributes,
    manifests: row.manifests,
    owner: personOf(people, row.owner_id),
    organization: row.organization_id,
    created_date: row.created_date.toISOString(),
    updated_date: row.updated_date.toISOString(),
  }
}
