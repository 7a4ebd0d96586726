import { annotationsChanged } from '@reticle/contracts/events/annotations'
import type { EventType } from '@reticle/contracts/events/define'
import { requestFinished } from '@reticle/contracts/events/requests'
import { loginRejected, userSignedIn, userSignedOut } from '@reticle/contracts/events/users'
import { type Handle, onEvent, PoisonEvent, routeEvents } from '@reticle/kit/bus/bus'
import { z } from 'zod'
import type { WebhooksDb } from '../db/schema.ts'
import { annotationEvents } from './annotation-events.ts'
import { recordEvents } from './record-events.ts'
import { insertEvents } from './repo.ts'
import { datasetEvents } from './request-events.ts'
import { type LogEvent, originOfEvent, serverEvents } from './server-events.ts'
import { rejectionEvent, signInEvent } from './sign-in-events.ts'

/**
 * Names of events about a record: action and resource. Their data contain the record under the name of the resource.
 */
const ofRecord = /^(create|update|delete):([a-z]+)$/
const actions = z.enum(['create', 'update', 'delete'])
const recordData = z.looseObject({ before_update: z.record(z.string(), z.unknown()).optional() })
const anyRecord = z.record(z.string(), z.unknown())

const logRoute = <D>(type: EventType<D>, toEvents: (data: D) => readonly LogEvent[]) =>
  onEvent<WebhooksDb, D>(type, (tx, data, event) =>
    insertEvents(tx, serverEvents(originOfEvent(event), toEvents(data))),
  )

const others = routeEvents<WebhooksDb>([
  logRoute(annotationsChanged, annotationEvents),
  logRoute(requestFinished, ({ request }) => datasetEvents(request)),
  logRoute(userSignedIn, ({ user_id }) => [signInEvent('login:user', user_id)]),
  logRoute(userSignedOut, ({ user_id }) => [signInEvent('logout:user', user_id)]),
  logRoute(loginRejected, (rejection) => [rejectionEvent(rejection)]),
])

/**
 * Appends events to the event log in the transaction of the bus: events about records of any resource (a new resource
 * needs no code here), annotation changes, finished exports and imports, sign-ins and sign-outs.
 */
export const appendEvents: Handle<WebhooksDb> = Object.assign(
  (async (tx, event) => {
    const [, action, resource = ''] = ofRecord.exec(event.type) ?? []
    if (action === undefined) return others(tx, event)
    const { before_update: before, ...data } = recordData.parse(event.data)
    const record = anyRecord.safeParse(data[resource])
    if (record.error) throw new PoisonEvent(`${event.type} has no ${resource}`)
    const fields = { record: record.data, around: data, before }
    const change = { action: actions.parse(action), resource, ...fields }
    await insertEvents(tx, serverEvents(originOfEvent(event), recordEvents(change)))
  }) satisfies Handle<WebhooksDb>,
  { isFor: (type: string) => ofRecord.test(type) || others.isFor?.(type) === true },
)
