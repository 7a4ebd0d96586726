import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Data for several workers: the workers, the depth of the queue, and the trace of each request. */
export const scaling: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await statement.execute(db)
  },
}

const statements = [
  // Living workers and their slots: all slots together decide which ones run large requests.
  sql`create table workers (
    worker text primary key,
    slots integer not null,
    seen_date timestamptz not null default now()
  )`,

  // One row, read from two partial indexes. The autoscaler, metrics and tests use these names.
  sql`create view queue_depth as
    select queued, started, queued + started as demand, oldest_queued_seconds
    from (
      select count(*)::integer as queued,
        coalesce(greatest(extract(epoch from now() - min(created_date)), 0), 0)::double precision
          as oldest_queued_seconds
      from requests where status = 'queued'
    ) as waiting
    cross join (select count(*)::integer as started from requests where status = 'started') as running`,

  sql`alter table requests add column traceparent text`,
]
