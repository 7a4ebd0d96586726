import { indexStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Finds the requests of a deleted job without a full scan. */
export const requestsOfJobs = indexStep('requests_job_id_idx', sql`requests (job_id)`)
