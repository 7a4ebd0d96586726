import type { Webhook } from '@reticle/contracts/rest/webhooks'
import { deletedUserId } from '../copies/repo-people.ts'
import type { WebhookRow } from '../db/schema.ts'

/** Row of a webhook, joined with its organization (its own or that of its project) and its newest delivery. */
export type WebhookView = WebhookRow & {
  workspace_id: number | null
  last_status: number | null
  last_delivery_date: Date | null
}

/** Converts a row to the REST record. The record shows only whether a secret exists. */
export function toWebhook(row: WebhookView): Webhook {
  const { id, target_url, description, type, project_id, is_active, enable_ssl, dialect } = row
  return {
    url: `/webhooks/${id}`,
    id,
    target_url,
    description,
    type,
    project_id,
    organization: row.workspace_id,
    events: row.events.join(','),
    events_list: row.events,
    content_type: 'application/json',
    has_secret: row.secret_sealed !== null,
    is_active,
    enable_ssl,
    dialect,
    owner: ownerOf(row),
    ...(row.owner_left_date && { owner_left_date: row.owner_left_date.toISOString() }),
    created_date: row.created_date.toISOString(),
    updated_date: row.updated_date.toISOString(),
    ...(row.disabled_reason !== null && { disabled_reason: row.disabled_reason }),
    ...(row.last_status !== null && { last_status: row.last_status }),
    ...(row.last_delivery_date && { last_delivery_date: row.last_delivery_date.toISOString() }),
  }
}

/** Returns null when the account of the owner was deleted. */
function ownerOf(row: WebhookRow): Webhook['owner'] {
  if (row.owner_id === deletedUserId) return null
  return {
    url: `/users/${row.owner_id}`,
    id: row.owner_id,
    username: row.owner_username,
    first_name: row.owner_first_name,
    last_name: row.owner_last_name,
  }
}
