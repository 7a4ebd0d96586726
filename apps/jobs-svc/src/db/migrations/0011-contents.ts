import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Media files by content, so that each is stored once per tenant. */
export const contents: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await statement.execute(db)
  },
}

const statements = [
  // The file is stored at "key", below the upload "home" that brought it. It may outlive that upload, and then has a
  // separate row in blobs.
  sql`create table contents (
    content_id integer primary key generated always as identity,
    tenant text not null,
    sha256 text not null,
    size bigint not null,
    key text not null constraint contents_key_key unique,
    home text not null,
    created_date timestamptz(3) not null default now(),
    constraint contents_tenant_sha256_size_key unique (tenant, sha256, size)
  )`,
  sql`create index contents_home_idx on contents (home)`,

  // "prefix" is the key prefix of an upload, as in blobs: the contents that it uses, its own or of other uploads.
  sql`create table content_uses (
    prefix text not null,
    content_id integer not null
      constraint content_uses_content_id_fkey references contents (content_id),
    primary key (prefix, content_id)
  )`,
  sql`create index content_uses_content_id_idx on content_uses (content_id)`,

  // Hexadecimal checksums: of the stored bytes, and as announced by the client.
  sql`alter table uploaded_files add column sha256 text`,
  sql`alter table uploaded_files add column expected_sha256 text`,
]
