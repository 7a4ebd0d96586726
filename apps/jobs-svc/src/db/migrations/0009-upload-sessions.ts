import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Resumable uploads, and data-upload sessions of tasks. */
export const uploadSessions: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await statement.execute(db)
  },
}

const statements = [
  // Date of the last change, from which the upload expires.
  sql`alter table uploads add column used_date timestamptz(3) not null default now()`,

  sql`create table upload_sessions (
    task_id integer primary key,
    upload_id uuid not null
      constraint upload_sessions_upload_id_fkey references uploads (upload_id) on delete cascade
  )`,
  sql`create index upload_sessions_upload_id_idx on upload_sessions (upload_id)`,

  // Bytes up to "offset" are stored: whole parts below the key, and the rest, if any, in the object "tail". Only the
  // holder of the lease writes. Files with "is_kept" were part of a failed attempt.
  sql`create table uploaded_files (
    file_id uuid primary key,
    upload_id uuid not null
      constraint uploaded_files_upload_id_fkey references uploads (upload_id) on delete cascade,
    place integer generated always as identity,
    owner_id integer not null,
    name text not null,
    key text not null,
    length bigint not null,
    "offset" bigint not null default 0,
    tail text,
    lease uuid,
    is_kept boolean not null default false,
    constraint uploaded_files_upload_id_name_key unique (upload_id, name),
    constraint uploaded_files_offset_check check ("offset" between 0 and length)
  )`,

  // Sum of all files of a user in an upload, stored or announced.
  sql`create table upload_bytes (
    upload_id uuid not null
      constraint upload_bytes_upload_id_fkey references uploads (upload_id) on delete cascade,
    owner_id integer not null,
    bytes bigint not null,
    primary key (upload_id, owner_id)
  )`,
  sql`create index upload_bytes_owner_id_idx on upload_bytes (owner_id)`,
]
