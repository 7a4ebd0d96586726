import type { MigrationStep } from '@reticle/kit/db/migrate'
import { outboxTables } from '@reticle/kit/outbox/tables'
import { sql } from 'kysely'

/** Tables of annotation sets. */
export const annotations: MigrationStep = {
  up: async (db) => {
    await outboxTables(db, 'annotations')
    for (const text of [...statements, ...['shapes', 'tags', 'tracks'].flatMap(partitions)]) {
      await sql.raw(text).execute(db)
    }
  },
}

const statements = [
  // The row of a job is also its write lock.
  `create table jobs (
    job_id integer primary key,
    task_id integer not null,
    project_id integer,
    organization_id integer,
    start_frame integer not null,
    stop_frame integer not null,
    revision bigint not null default 0,
    labels_revision integer not null default 0,
    tags integer not null default 0,
    shapes integer not null default 0,
    tracks integer not null default 0,
    updated_date timestamptz(3) not null default now()
  )`,
  'create index jobs_task_id_idx on jobs (task_id)',
  'create index jobs_project_id_idx on jobs (project_id)',

  // points: a JSON array without its brackets. attributes, elements: JSON arrays, null when empty.
  `create table shapes (
    task_id integer not null,
    job_id integer not null,
    frame integer not null,
    label_id integer not null,
    id bigint not null,
    "group" integer not null,
    z_order integer not null,
    rotation double precision not null,
    score double precision not null,
    type smallint not null,
    source smallint not null,
    occluded boolean not null,
    outside boolean not null,
    points text not null,
    attributes text,
    elements text,
    primary key (task_id, job_id, frame, id)
  ) partition by hash (task_id)`,

  `create table tags (
    task_id integer not null,
    job_id integer not null,
    frame integer not null,
    label_id integer not null,
    id bigint not null,
    "group" integer not null,
    source smallint not null,
    attributes text,
    primary key (task_id, job_id, frame, id)
  ) partition by hash (task_id)`,

  // A track that is written to a task is cut at job borders; its pieces share an origin id.
  `create table tracks (
    task_id integer not null,
    job_id integer not null,
    start_frame integer not null,
    stop_frame integer not null,
    label_id integer not null,
    id bigint not null,
    origin bigint,
    "group" integer not null,
    source smallint not null,
    attributes text,
    shapes text not null,
    elements text,
    primary key (task_id, job_id, id)
  ) partition by hash (task_id)`,

  // A server that was built without lz4 keeps the default compression.
  `do $$ begin
    alter table tracks alter column shapes set compression lz4, alter column elements set compression lz4;
  exception when feature_not_supported then null;
  end $$`,

  // Every value is the first of a block of a thousand ids.
  'create sequence id_blocks increment by 1000',
]

const count = 32

function partitions(table: string): string[] {
  const settings = 'fillfactor = 95, autovacuum_vacuum_scale_factor = 0.02'
  const parts = Array.from(
    { length: count },
    (_, index) =>
      `create table ${table}_${index} partition of ${table}
        for values with (modulus ${count}, remainder ${index}) with (${settings})`,
  )
  return [...parts, `create unique index ${table}_task_id_id_key on ${table} (task_id, id)`]
}
