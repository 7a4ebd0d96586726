import { annotationsChanged } from '@reticle/contracts/events/annotations'
import type { EventType } from '@reticle/contracts/events/define'
import { requestFinished } from '@reticle/contracts/events/requests'
import { loginRejected, userSignedIn, userSignedOut } from '@reticle/contracts/events/users'
import { type Handle, on, PoisonEvent, route } from '@reticle/kit/bus/bus'
import { z } from 'zod'
import type { WebhooksDb } from '../db/schema.ts'
import { annotationEvents } from './annotation-events.ts'
import { recordEvents } from './record-events.ts'
import { insertEvents } from './repo.ts'
import { datasetEvents } from './request-events.ts'
import { originOfEvent, serverEvents, type Told } from './server-events.ts'
import { rejectionEvent, signInEvent } from './sign-in-events.ts'

/** A fact about a record: its name says what happened to what, its data hold the record under that name. */
const ofRecord = /^(create|update|delete):([a-z]+)$/
const actions = z.enum(['create', 'update', 'delete'])
const recordData = z.looseObject({ before_update: z.record(z.string(), z.unknown()).optional() })
const anyRecord = z.record(z.string(), z.unknown())

const telling = <D>(type: EventType<D>, tell: (data: D) => readonly Told[]) =>
  on<WebhooksDb, D>(type, (tx, data, event) =>
    insertEvents(tx, serverEvents(originOfEvent(event), tell(data))),
  )

const others = route<WebhooksDb>([
  telling(annotationsChanged, annotationEvents),
  telling(requestFinished, ({ request }) => datasetEvents(request)),
  telling(userSignedIn, ({ user_id }) => [signInEvent('login:user', user_id)]),
  telling(userSignedOut, ({ user_id }) => [signInEvent('logout:user', user_id)]),
  telling(loginRejected, (rejection) => [rejectionEvent(rejection)]),
])

/**
 * Writes what happens in the house into the log of events, in the bus's transaction: facts of records whatever their
 * resource, so that a new one needs no line here; changes of annotations; finished exports and imports; who came and left.
 */
export const appendEvents: Handle<WebhooksDb> = Object.assign(
  (async (tx, event) => {
    const [, action, resource = ''] = ofRecord.exec(event.type) ?? []
    if (action === undefined) return others(tx, event)
    const { before_update: before, ...data } = recordData.parse(event.data)
    const record = anyRecord.safeParse(data[resource])
    if (record.error) throw new PoisonEvent(`${event.type} has no ${resource}`)
    const told = { record: record.data, around: data, before }
    const change = { action: actions.parse(action), resource, ...told }
    await insertEvents(tx, serverEvents(originOfEvent(event), recordEvents(change)))
  }) satisfies Handle<WebhooksDb>,
  { isFor: (type: string) => ofRecord.test(type) || others.isFor?.(type) === true },
)
