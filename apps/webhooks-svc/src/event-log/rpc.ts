import { randomUUID } from 'node:crypto'
import type { events } from '@reticle/contracts/api/events'
import { assertPermitted, invalid, type Service, signedIn } from '@reticle/kit'
import { runChange } from '@reticle/kit/db/change'
import { copyOut } from '@reticle/kit/db/copy'
import type { Clock } from '@reticle/kit/scheduling/clock'
import type { Kysely } from 'kysely'
import { findSlug } from '../copies/repo-organizations.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { acceptedOf, assertAcceptable, rowsOfCall } from './client-events.ts'
import { eventRules, visiblePart } from './policy.ts'
import { insertEvents, selectExported } from './repo.ts'
import { type Origin, originOfCall } from './server-events.ts'

export interface EventLogDeps {
  db: Kysely<WebhooksDb>
  /** Connections for long statements. */
  bulk: Kysely<WebhooksDb>
  clock: Clock
}

const nowhere = { organization_id: null, organization_role: null, relations: [] }

/** Creates the handlers of the event log: recording client events and exporting the log. */
export function eventHandlers({ db, bulk, clock }: EventLogDeps): Service<typeof events> {
  return {
    async recordEvents({ body }, context) {
      const caller = signedIn(context)
      assertPermitted(eventRules, 'send', caller, nowhere)
      assertAcceptable(body)
      const organization_id = caller.scope?.organization_id ?? null
      const originAt = (timestamp: string): Origin =>
        originOfCall(context, { event_id: randomUUID(), timestamp, organization_id })
      const { timestamp, org_slug } = await runChange(db, context, async (tx) => {
        const origin = originAt(clock.now().toISOString())
        await insertEvents(tx, rowsOfCall(body, origin))
        return { timestamp: origin.timestamp, org_slug: await findSlug(tx, organization_id) }
      })
      const { user_id: id, username, email } = caller
      return acceptedOf(body, originAt(timestamp), { id, username, email, org_slug })
    },

    async permitEventExport(filter, context) {
      if (filter.from !== null && filter.to !== null && filter.from > filter.to)
        throw invalid({ from: 'It is later than "to", so that nothing lies between them.' })
      return visiblePart(filter, signedIn(context))
    },

    async readEvents(filter, context) {
      const query = selectExported(bulk, visiblePart(filter, signedIn(context)))
      const chunks = copyOut(bulk, query, { as: 'csv', signal: context.signal })
      return { head: { type: 'text/csv' }, chunks }
    },
  }
}
