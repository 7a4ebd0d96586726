import { indexStep, type Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

const statements = [
  // Context images of a frame (`spec/api-workspace.md` 4.7): the same document as between services; null: it has none.
  'alter table frames add column if not exists related jsonb',

  // Where the media of a task is (4.7): in the object store, on the file share or in a bucket.
  `alter table data_sets add column if not exists storage text not null default 'local'
    constraint data_sets_storage_check check (storage in ('local', 'share', 'cloud_storage'))`,

  // Frames that were deleted from a task, ascending; nothing else of them changes (4.7).
  `alter table data_sets add column if not exists deleted_frames integer[] not null default '{}'`,

  // The file that all frames are of (4.5); null for images.
  'alter table data_sets add column if not exists video_name text',

  // Not looked for among the rows that are there: the old list was shorter.
  `alter table frames
    drop constraint if exists frames_packing_check,
    add constraint frames_packing_check
      check (packing in ('stored', 'deflated', 'video')) not valid`,

  // The cloud storage that the media is in; null with storage `cloud_storage`: it was detached.
  'alter table data_sets add column if not exists cloud_storage_id integer',

  // Not valid at first: the rows that exist are looked at without a lock that stops writing.
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
 * Media of every source (`spec/api-workspace.md` 4.5, 4.7): images with context, videos, files of the share and of cloud storages.
 * Every statement bears being run again, since the index cannot be part of a transaction.
 */
export const media: Step = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    await index.up(db)
  },
}
