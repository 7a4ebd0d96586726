import { indexStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

export const passwordFailuresAddress = indexStep(
  'password_failures_address_idx',
  sql`password_failures (address, logged_date)`,
)
