import { type Change, isFields, pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { isAtLeast } from './client-version.ts'
import { withKnownFields } from './known-fields.ts'

/** Events that CVAT clients know; later ones are left out. */
const knownEvents = new Set([
  ...namesOf('create', ['comment', 'invitation', 'issue', 'job', 'membership', 'project', 'task']),
  ...namesOf('update', [
    'comment',
    'issue',
    'job',
    'membership',
    'organization',
    'project',
    'task',
  ]),
  ...namesOf('delete', ['comment', 'invitation', 'issue', 'job', 'membership']),
  ...namesOf('delete', ['organization', 'project', 'task']),
])

function namesOf(action: string, resources: readonly string[]): string[] {
  return resources.map((resource) => `${action}:${resource}`)
}

const known = (names: unknown) =>
  [names]
    .flat()
    .map(String)
    .filter((name) => knownEvents.has(name))

const webhook = withKnownFields('webhook', ({ events_list, ...record }) => ({
  ...record,
  events: known(events_list),
}))

/** Since 2.73 an event is an object that also contains the display name of its resource. */
const eventNames: Change = ({ events, ...record }, _base, userAgent) => {
  const names = known(events)
  return { ...record, events: isAtLeast(userAgent, 2, 73) ? names.map(groupedEvent) : names }
}

function groupedEvent(key: string) {
  const resource = key.slice(key.indexOf(':') + 1)
  return { key, group: { display_name: resource.slice(0, 1).toUpperCase() + resource.slice(1) } }
}

/** In CVAT the response of a receiver is always an object. */
const delivery = withKnownFields('delivery', ({ response, ...record }) => ({
  ...record,
  response: answered(response),
}))

function answered(response: unknown): unknown {
  const text = String(response)
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return value
  } catch {}
  return { text }
}

export const webhooks: Translations = {
  listWebhooks: pageAnswer(webhook),
  createWebhook: recordAnswer(webhook),
  getWebhook: recordAnswer(webhook),
  updateWebhook: recordAnswer(webhook),
  replaceWebhook: recordAnswer(webhook),
  rotateWebhookSecret: recordAnswer(webhook),
  listWebhookEvents: recordAnswer(eventNames),
  pingWebhook: recordAnswer(delivery),
  listDeliveries: pageAnswer(delivery),
  getDelivery: recordAnswer(delivery),
}
