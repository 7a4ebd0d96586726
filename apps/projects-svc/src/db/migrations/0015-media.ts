import { indexStep, type MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

const statements = [
  // Context images of a frame, in the form that services exchange; null: none.
  'alter table frames add column if not exists related jsonb',

  // Location of the media of a task: object store, file share or bucket.
  `alter table data_sets add column if not exists storage text not null default 'local'
    constraint data_sets_storage_check check (storage in ('local', 'share', 'cloud_storage'))`,

  // Frames deleted from a task, ascending. Their other data stays.
  `alter table data_sets add column if not exists deleted_frames integer[] not null default '{}'`,

  // File that contains all frames; null for images.
  'alter table data_sets add column if not exists video_name text',

  // Not validated for existing rows, because the old list of values was shorter.
  `alter table frames
    drop constraint if exists frames_packing_check,
    add constraint frames_packing_check
      check (packing in ('stored', 'deflated', 'video')) not valid`,

  // Cloud storage of the media; null with storage `cloud_storage`: the storage was detached.
  'alter table data_sets add column if not exists cloud_storage_id integer',

  // Added as not valid first: the existing rows are then checked without a lock that blocks writes.
  `alter table data_sets
    drop constraint if exists data_sets_cloud_storage_id_fkey,
    add constraint data_sets_cloud_storage_id_fkey
      foreign key (cloud_storage_id) references cloud_storages on delete set null not valid`,
  'alter table data_sets validate constraint data_sets_cloud_storage_id_fkey',
]

const index = indexStep(
  'data_sets_cloud_storage_id_idx',
  sql`data_sets (cloud_storage_id) where cloud_storage_id is not null`,
)

/**
 * Media of every source: images with context, videos, files of the share and of cloud storages. Every statement can
 * be repeated, because the index cannot be built in a transaction.
 */
export const media: MigrationStep = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    await index.up(db)
  },
}
