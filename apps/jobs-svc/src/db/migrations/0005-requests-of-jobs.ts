import { indexStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** A job that is deleted takes its requests along: they are found without reading all there are. */
export const requestsOfJobs = indexStep('requests_job_id_idx', sql`requests (job_id)`)
