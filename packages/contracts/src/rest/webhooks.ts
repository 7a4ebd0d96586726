import { z } from 'zod'
import { flag, integer, link, listQuery, rawText, text, timestamp } from './common.ts'
import { dialect } from './dialects.ts'
import { listFields, listOf } from './lists.ts'
import { moment, startOfDay } from './moments.ts'
import { basicUser } from './users.ts'

/** Webhooks and their deliveries. See docs/spec/webhooks.md#webhook-records. */

export const webhookTypes = ['organization', 'project'] as const

export const webhook = z
  .object({
    url: link,
    id: z.int(),
    target_url: z.string(),
    description: z.string(),
    type: z.enum(webhookTypes),
    project_id: z.int().nullable(),
    organization: z.int().nullable(),
    /** Comma-separated and sorted; `events_list` contains the same as a list. */
    events: z.string(),
    events_list: z.array(z.string()),
    content_type: z.literal('application/json'),
    has_secret: z.boolean(),
    is_active: z.boolean(),
    enable_ssl: z.boolean(),
    /** The form of its payloads. */
    dialect,
    owner: basicUser.nullable(),
    /** Date when the owner left the organization; absent while the owner is a member. */
    owner_left_date: timestamp.optional(),
    created_date: timestamp,
    updated_date: timestamp,
    /** Reason why the service disabled the webhook, if the installation allows that; absent otherwise. */
    disabled_reason: z.string().optional(),
    /** Status of the newest delivery; absent without deliveries. */
    last_status: z.int().optional(),
    last_delivery_date: timestamp.optional(),
  })
  .meta({ id: 'Webhook' })

/** Names joined by commas, or a list of them; repeated names count once. */
const events = z.preprocess(
  (given) => (Array.isArray(given) ? given.join(',') : given),
  z
    .string()
    .trim()
    .max(4096)
    .refine((given) => given.split(',').some((name) => name.trim() !== ''), {
      error: 'This field may not be blank.',
    }),
)

const changeable = {
  target_url: text(8192, 1),
  description: text(128),
  events,
  content_type: text(64),
  secret: rawText(64),
  is_active: flag,
  enable_ssl: flag,
  dialect,
}

export const webhookCreate = z
  .object({ ...changeable, type: z.enum(webhookTypes), project_id: integer.nullable() })
  .partial()
  .required({ target_url: true, events: true, type: true })
  .meta({ id: 'WebhookCreate' })
/** Other keys, including write-once ones, are ignored. */
export const webhookPatch = z.object(changeable).partial().meta({ id: 'WebhookPatch' })
export const webhookPut = webhookPatch
  .required({ target_url: true, events: true })
  .meta({ id: 'WebhookPut' })

/** Type of webhooks whose events are listed; `all` by default. */
export const webhookEventsQuery = z.object({
  type: z.enum([...webhookTypes, 'all']).default('all'),
})
export const webhookEventNames = z
  .object({ webhook_type: z.enum([...webhookTypes, 'all']), events: z.array(z.string()) })
  .meta({ id: 'WebhookEventNames' })

/** New secret. During the overlap, the Standard Webhooks header also contains signatures with the old one. */
export const secretRotation = z
  .object({
    secret: rawText(64).refine((secret) => secret !== '', {
      error: 'This field may not be blank.',
    }),
    /** At most a week. */
    overlap_hours: integer.pipe(z.int().min(0).max(168)).default(24),
  })
  .meta({ id: 'WebhookSecretRotation' })

/** Fields of the list of webhooks. */
export const webhookFields = listFields({
  equal: {
    id: 'integer',
    target_url: 'text',
    owner: 'text',
    type: webhookTypes,
    project_id: 'integer',
  },
  more: { description: 'text', updated_date: 'date' },
  search: ['target_url', 'owner', 'description'],
  order: '-id',
})
export const webhookList = listOf(webhookFields)

export const delivery = z
  .object({
    id: z.int(),
    webhook_id: z.int(),
    /** The same for every attempt at one message, including redeliveries. */
    delivery_id: z.string(),
    event: z.string(),
    status_code: z.int().nullable(),
    redelivery: z.boolean(),
    /** From 1. */
    attempt: z.int(),
    /** Milliseconds. */
    request_duration: z.int().nullable(),
    created_date: timestamp,
    updated_date: timestamp,
    changed_fields: z.string(),
    request: z.unknown(),
    response: z.string(),
  })
  .meta({ id: 'Delivery' })

export const deliveryParams = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .transform(Number)
    .pipe(z.int().max(2_147_483_647)),
  delivery_id: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .transform(Number)
    .pipe(z.int()),
})
const pages = { page: listQuery.page, page_size: listQuery.page_size }
export const deliveryList = z.object(pages)

/** Message for a webhook, whether or not it was delivered. */
export const webhookMessage = z
  .object({
    /** From 1, without gaps. */
    sequence: z.int(),
    event: z.string(),
    created_date: timestamp,
    /** Body of the request, sent or pending. */
    payload: z.unknown(),
    /** `delivered` once an attempt succeeded; `failed` if no further attempt is made. */
    state: z.enum(['pending', 'delivered', 'failed']),
    /** Includes those of redeliveries. */
    attempts: z.int(),
  })
  .meta({ id: 'WebhookMessage' })
export const messageList = z.object({
  ...pages,
  /** Only messages with a larger number. */
  after: integer.pipe(z.int().min(0)).default(0),
})

const sequence = integer.pipe(z.int().min(1))

/** Either messages by their numbers, both ends included, or those that failed since a date. */
export const messagesToRedeliver = z
  .object({ from: sequence, to: sequence, failed_since: moment(startOfDay) })
  .partial()
  .meta({ id: 'WebhookMessagesToRedeliver' })
export const redelivered = z.object({ count: z.int() }).meta({ id: 'WebhookMessagesRedelivered' })

export type Webhook = z.infer<typeof webhook>
export type WebhookCreate = z.infer<typeof webhookCreate>
export type WebhookPatch = z.infer<typeof webhookPatch>
export type Delivery = z.infer<typeof delivery>
export type WebhookMessage = z.infer<typeof webhookMessage>
export type MessagesToRedeliver = z.infer<typeof messagesToRedeliver>
