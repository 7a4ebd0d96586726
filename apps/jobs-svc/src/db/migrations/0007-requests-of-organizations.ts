import { indexStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Whether work is under way in an organization, and what was done in one that is deleted, is found without reading all there is. */
export const requestsOfOrganizations = indexStep('requests_org_id_idx', sql`requests (org_id)`)
