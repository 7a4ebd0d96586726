import type { Migrations } from '@reticle/kit/db/migrate'
import * as webhooks from './0001-webhooks.ts'
import { outboxSent } from './0002-outbox-sent.ts'
import { traces } from './0003-traces.ts'
import { dueIndex } from './0004-due-index.ts'
import { leasedIndex } from './0005-leased-index.ts'
import { events } from './0006-events.ts'
import { organizations } from './0007-organizations.ts'
import { idempotencyKeys } from './0008-idempotency-keys.ts'
import { redeliveries } from './0009-redeliveries.ts'
import { failing } from './0010-failing.ts'
import { ownerLeft } from './0011-owner-left.ts'
import { webhookDialect } from './0012-webhook-dialect.ts'

export const migrations: Migrations = {
  '0001-webhooks': webhooks,
  '0002-outbox-sent': outboxSent,
  '0003-traces': traces,
  '0004-due-index': dueIndex,
  '0005-leased-index': leasedIndex,
  '0006-events': events,
  '0007-organizations': organizations,
  '0008-idempotency-keys': idempotencyKeys,
  '0009-redeliveries': redeliveries,
  '0010-failing': failing,
  '0011-owner-left': ownerLeft,
  '0012-webhook-dialect': webhookDialect,
}
