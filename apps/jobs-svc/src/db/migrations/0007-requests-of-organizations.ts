import { indexStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Finds the requests of an organization without a full scan. */
export const requestsOfOrganizations = indexStep('requests_org_id_idx', sql`requests (org_id)`)
