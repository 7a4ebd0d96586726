import { indexStep, type MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Cloud storages; their credentials are sealed. */
const statements = [
  `create table if not exists cloud_storages (
    id integer generated always as identity primary key,
    provider_type text not null
      constraint cloud_storages_provider_type_check
        check (provider_type in ('AWS_S3_BUCKET', 'AZURE_CONTAINER', 'GOOGLE_CLOUD_STORAGE')),
    resource text not null,
    display_name text not null,
    description text not null default '',
    credentials_type text not null
      constraint cloud_storages_credentials_type_check
        check (credentials_type in ('KEY_SECRET_KEY_PAIR', 'ACCOUNT_NAME_TOKEN_PAIR', 'KEY_FILE_PATH',
          'ANONYMOUS_ACCESS', 'CONNECTION_STRING')),
    credentials_sealed text,
    specific_attributes text not null default '',
    manifests text[] not null default '{}',
    owner_id integer references users on delete set null,
    organization_id integer,
    created_date timestamptz(3) not null default now(),
    updated_date timestamptz(3) not null default now()
  )`,
  'create index if not exists cloud_storages_owner_id_idx on cloud_storages (owner_id)',
  'create index if not exists cloud_storages_organization_id_idx on cloud_storages (organization_id)',

  // Added as not valid first: the existing rows are then checked without a lock that blocks writes.
  `alter table storages
    drop constraint if exists storages_cloud_storage_id_fkey,
    add constraint storages_cloud_storage_id_fkey
      foreign key (cloud_storage_id) references cloud_storages not valid`,
  'alter table storages validate constraint storages_cloud_storage_id_fkey',
]

const index = indexStep(
  'storages_cloud_storage_id_idx',
  sql`storages (cloud_storage_id) where cloud_storage_id is not null`,
)

/** Every statement can be repeated, because the index cannot be built in a transaction. */
export const cloudStorages: MigrationStep = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    await index.up(db)
  },
}
