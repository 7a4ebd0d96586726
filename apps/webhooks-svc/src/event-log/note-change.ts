import { randomUUID } from 'node:crypto'
import type { CallContext } from '@reticle/kit'
import type { Clock } from '@reticle/kit/clock'
import type { Transaction } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import { type RecordChange, recordEvents } from './record-events.ts'
import { insertEvents } from './repo.ts'
import { originOfCall, serverEvents } from './server-events.ts'

/** Logs a change of a record of this service directly, in the transaction of the change and without the bus. */
export async function logChange(
  tx: Transaction<WebhooksDb>,
  clock: Clock,
  change: RecordChange & { organization_id: number | null },
  context: CallContext,
): Promise<void> {
  const when = { event_id: randomUUID(), timestamp: clock.now().toISOString() }
  const origin = originOfCall(context, { ...when, organization_id: change.organization_id })
  await insertEvents(tx, serverEvents(origin, recordEvents(change)))
}
