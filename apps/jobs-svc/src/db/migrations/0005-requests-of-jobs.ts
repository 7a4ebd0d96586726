import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** A job that is deleted takes its requests along: they are found without reading all there are. */
export const requestsOfJobs: Step = {
  transactional: false,
  up: async (db) => {
    await sql`create index concurrently if not exists requests_job_id_idx on requests (job_id)`.execute(
      db,
    )
  },
}
