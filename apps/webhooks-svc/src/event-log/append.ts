import { annotationsChanged } from '@reticle/contracts/events/annotations'
import { requestFinished } from '@reticle/contracts/events/requests'
import { type Handle, on, PoisonEvent, route } from '@reticle/kit/bus/bus'
import { z } from 'zod'
import type { WebhooksDb } from '../db/schema.ts'
import { annotationEvents } from './annotation-events.ts'
import { recordEvents } from './record-events.ts'
import { insertEvents } from './repo.ts'
import { datasetEvents } from './request-events.ts'
import { originOfEvent, serverEvents } from './server-events.ts'

/** A fact about a record: its name says what happened to what, its data hold the record under that name. */
const ofRecord = /^(create|update|delete):([a-z]+)$/
const actions = z.enum(['create', 'update', 'delete'])
const recordData = z.looseObject({ before_update: z.record(z.string(), z.unknown()).optional() })
const anyRecord = z.record(z.string(), z.unknown())

const others = route<WebhooksDb>([
  on(annotationsChanged, (tx, change, event) =>
    insertEvents(tx, serverEvents(originOfEvent(event), annotationEvents(change))),
  ),
  on(requestFinished, (tx, { request }, event) =>
    insertEvents(tx, serverEvents(originOfEvent(event), datasetEvents(request))),
  ),
])

/**
 * Writes what happens in the house into the log of events, in the bus's transaction: facts of records whatever their
 * resource, so that a new one needs no line here; changes of annotations; finished exports and imports.
 */
export const appendEvents: Handle<WebhooksDb> = Object.assign(
  (async (tx, event) => {
    const [, action, resource = ''] = ofRecord.exec(event.type) ?? []
    if (action === undefined) return others(tx, event)
    const { before_update: before, ...data } = recordData.parse(event.data)
    const record = anyRecord.safeParse(data[resource])
    if (record.error) throw new PoisonEvent(`${event.type} has no ${resource}`)
    const change = { action: actions.parse(action), resource, record: record.data, before }
    await insertEvents(tx, serverEvents(originOfEvent(event), recordEvents(change)))
  }) satisfies Handle<WebhooksDb>,
  { isFor: (type: string) => ofRecord.test(type) || others.isFor?.(type) === true },
)
