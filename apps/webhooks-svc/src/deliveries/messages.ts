import type { Delivery } from '@reticle/contracts/rest/webhooks'
import type { WebhookDeliveryRow, WebhookMessageRow } from '../db/schema.ts'

/** Row of an attempt, joined with columns of its message. */
export type DeliveryView = WebhookDeliveryRow &
  Pick<WebhookMessageRow, 'delivery_id' | 'event' | 'changed_fields' | 'body'>

/** Converts a row to the REST record; `request` is the payload as it was sent. */
export function toDelivery({ message_id: _, body, ...row }: DeliveryView): Delivery {
  return {
    ...row,
    request: JSON.parse(body.toString()),
    created_date: row.created_date.toISOString(),
    updated_date: row.updated_date.toISOString(),
  }
}
