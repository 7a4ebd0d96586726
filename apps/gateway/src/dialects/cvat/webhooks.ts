import { knownEventsIn } from '@reticle/contracts/dialects/cvat/events'
import { withKnownFields } from '@reticle/contracts/dialects/cvat/known-fields'
import { webhook } from '@reticle/contracts/dialects/cvat/records'
import {
  type Change,
  isFields,
  pageAnswer,
  type RecordFields,
  recordAnswer,
  type Translations,
} from '../dialect.ts'
import { isAtLeast, isSdkBefore } from './client-version.ts'

/** Since 2.73 an event is an object that also contains the display name of its resource. */
const eventNames: Change = ({ events, ...record }, _base, userAgent) => {
  const names = knownEventsIn(events)
  return { ...record, events: isAtLeast(userAgent, 2, 73) ? names.map(groupedEvent) : names }
}

function groupedEvent(key: string) {
  const resource = key.slice(key.indexOf(':') + 1)
  return { key, group: { display_name: resource.slice(0, 1).toUpperCase() + resource.slice(1) } }
}

/** SDKs before 2.67 accept only an object, although CVAT itself returns text. */
const delivery = withKnownFields('delivery', ({ response, ...record }, _base, userAgent) => ({
  ...record,
  response: isSdkBefore(userAgent, 2, 67) ? toResponseObject(response) : response,
}))

function toResponseObject(response: unknown): unknown {
  const text = String(response)
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return value
  } catch {}
  return { text }
}

/** Payloads of a webhook have the dialect in which it was created, unless the body names another. */
function withDialect({ body, ...input }: RecordFields): RecordFields {
  return { ...input, body: isFields(body) ? { dialect: 'cvat', ...body } : body }
}

export const webhooks: Translations = {
  listWebhooks: pageAnswer(webhook),
  createWebhook: { ...recordAnswer(webhook), input: withDialect },
  getWebhook: recordAnswer(webhook),
  updateWebhook: recordAnswer(webhook),
  replaceWebhook: recordAnswer(webhook),
  rotateWebhookSecret: recordAnswer(webhook),
  listWebhookEvents: recordAnswer(eventNames),
  pingWebhook: recordAnswer(delivery),
  listDeliveries: pageAnswer(delivery),
  getDelivery: recordAnswer(delivery),
}
