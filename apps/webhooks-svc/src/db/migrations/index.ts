import type { Migrations } from '@reticle/kit/db/migrate'
import * as webhooks from './0001-webhooks.ts'
import { outboxSent } from './0002-outbox-sent.ts'
import { traces } from './0003-traces.ts'

export const migrations: Migrations = {
  '0001-webhooks': webhooks,
  '0002-outbox-sent': outboxSent,
  '0003-traces': traces,
}
