import { annotationsChanged } from '@reticle/contracts/events/annotations'
import type { EventType } from '@reticle/contracts/events/define'
import { requestFinished } from '@reticle/contracts/events/requests'
import { loginRejected, userSignedIn, userSignedOut } from '@reticle/contracts/events/users'
import type { Request } from '@reticle/contracts/rest/requests'
import { type Handle, onEvent, PoisonEvent, routeEvents } from '@reticle/kit/bus/bus'
import { z } from 'zod'
import type { WebhooksDb } from '../db/schema.ts'
import { annotationEvents } from './annotation-events.ts'
import { recordEvents } from './record-events.ts'
import { insertEvents } from './repo.ts'
import { type LogEvent, originOfEvent, serverEvents } from './server-events.ts'

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
  logRoute(userSignedIn, ({ user_id }) => [{ scope: 'login:user', obj_id: user_id }]),
  logRoute(userSignedOut, ({ user_id }) => [{ scope: 'logout:user', obj_id: user_id }]),
  logRoute(loginRejected, (rejection) => [rejectionEvent(rejection)]),
])

/**
 * Appends events to the event log in the transaction of the bus: events about records of any resource (a new resource
 * needs no code here), annotation changes, finished exports and imports, sign-ins and sign-outs.
 */
export const appendEvents: Handle<WebhooksDb> = Object.assign(
  (async (tx, event, afterCommit) => {
    const [, action, resource = ''] = ofRecord.exec(event.type) ?? []
    if (action === undefined) return others(tx, event, afterCommit)
    const { before_update: before, ...data } = recordData.parse(event.data)
    const record = anyRecord.safeParse(data[resource])
    if (record.error) throw new PoisonEvent(`${event.type} has no ${resource}`)
    const fields = { record: record.data, around: data, before }
    const change = { action: actions.parse(action), resource, ...fields }
    await insertEvents(tx, serverEvents(originOfEvent(event), recordEvents(change)))
  }) satisfies Handle<WebhooksDb>,
  { isFor: (type: string) => ofRecord.test(type) || others.isFor?.(type) === true },
)

const dataset = /^(import|export):(dataset|annotations)$/

/**
 * Returns a log event for a finished export or import of a dataset. An export of annotations only is logged as a
 * dataset export without images.
 */
function datasetEvents({ status, operation }: Request): LogEvent[] {
  const [, action, what] = dataset.exec(operation.type) ?? []
  if (status !== 'finished' || action === undefined) return []
  const { format, project_id, task_id, job_id } = operation
  const images = action === 'export' ? { save_images: what === 'dataset' } : {}
  const payload = { format, ...images }
  return [{ scope: `${action}:dataset`, project_id, task_id, job_id, payload }]
}

/** Returns the log event of a rejected sign-in: the username, the id of its user if one exists, and the reason. */
function rejectionEvent({
  username,
  user_id,
  reason,
  count,
  names,
}: z.output<typeof loginRejected.data>): LogEvent {
  return {
    scope: 'reject:login',
    obj_name: 'username',
    obj_id: user_id,
    obj_val: username,
    payload: count === undefined ? { reason } : { reason, count, names },
  }
}
