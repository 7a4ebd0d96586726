import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Assets of guides, and the registry of this service's objects. */
const statements: readonly string[] = [
  // A key that ends in "/" represents every object below it.
  `create table blobs (
    key text primary key,
    state text not null constraint blobs_state_check check (state in ('pending', 'live', 'dead')),
    kind text not null constraint blobs_kind_check check (kind in ('upload', 'asset')),
    size bigint,
    organization_id integer,
    created_date timestamptz(3) not null default now(),
    dead_date timestamptz(3)
  )`,
  `create index blobs_pending_idx on blobs (created_date) where state = 'pending'`,
  `create index blobs_dead_idx on blobs (dead_date) where state = 'dead'`,
  `create table sweeps (
    name text primary key,
    swept_date timestamptz(3) not null
  )`,
  // Copies of an asset share its object, which is deleted with the last of them.
  `create table assets (
    uuid uuid primary key,
    guide_id integer not null references guides on delete cascade,
    owner_id integer references users on delete set null,
    filename text not null,
    media_type text not null,
    size bigint not null,
    key text not null constraint assets_key_fkey references blobs (key),
    created_date timestamptz(3) not null default now()
  )`,
  'create index assets_guide_id_idx on assets (guide_id)',
  'create index assets_owner_id_idx on assets (owner_id)',
  'create index assets_key_idx on assets (key)',
]

export const assets: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
