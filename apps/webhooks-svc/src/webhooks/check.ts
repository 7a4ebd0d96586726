import { pingEvent, webhookEvents } from '@reticle/contracts/events/webhook-events'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { WebhookPatch, webhookTypes } from '@reticle/contracts/rest/webhooks'
import { type DomainError, invalid } from '@reticle/kit'
import { type Guard, readTarget, TargetRefused } from '@reticle/kit/outgoing/guard'
import type { WebhookRow } from '../db/schema.ts'
import type { WebhookScope } from './repo.ts'

/** Fields that a client may set, as they are stored; only the secret is still plain text. */
export type WebhookFields = Partial<
  Pick<WebhookRow, 'target_url' | 'description' | 'events' | 'is_active' | 'enable_ssl' | 'dialect'>
> & { secret?: string }

/**
 * Checks fields that the schema cannot check alone: the target URL, and the events of this webhook type. Pure:
 * resolves no host name.
 *
 * @throws DomainError invalid, naming the field
 */
export function readWebhookFields(
  body: WebhookPatch,
  type: WebhookRow['type'],
  guard: Guard,
): WebhookFields {
  const { target_url, events, content_type, ...fields } = body
  if (content_type !== undefined && content_type !== 'application/json')
    throw invalid({ content_type: `"${content_type}" is not a valid choice.` })
  if (target_url !== undefined) assertTarget(target_url, guard)
  return {
    ...fields,
    ...(target_url !== undefined && { target_url }),
    ...(events !== undefined && { events: readEvents(events, type) }),
  }
}

function assertTarget(target: string, guard: Guard): void {
  try {
    readTarget(target, guard)
  } catch (thrown) {
    if (!(thrown instanceof TargetRefused)) throw thrown
    throw invalid({ target_url: thrown.message }, 'webhook_url_invalid')
  }
}

/** Parses comma-separated names; returns them sorted and without duplicates. */
function readEvents(text: string, type: WebhookRow['type']): string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter(Boolean).sort()
  const unknown = names.find((name) => name !== pingEvent && !Object.hasOwn(webhookEvents, name))
  if (unknown !== undefined) throw invalid({ events: `"${unknown}" is not a valid choice.` })
  if (!names.every((name) => webhookEvents[name]?.includes(type)))
    throw invalid({ non_field_errors: `Invalid events list for ${type} webhook` })
  return names
}

/**
 * Returns the owner of a new webhook: the project in the body, or the organization of the request.
 *
 * @throws DomainError invalid
 */
export function readScope(
  { type, project_id }: { type: string; project_id?: number | null },
  { scope }: Pick<Principal, 'scope'>,
): WebhookScope {
  if (type === 'project' && project_id != null) return { project_id }
  if (type === 'project') throw invalid({ project_id: 'This field is required.' }, 'required')
  if (project_id != null)
    throw invalid({ project_id: 'A webhook of type organization belongs to no project.' })
  if (scope?.organization_id == null)
    throw invalid({
      non_field_errors:
        'A webhook of type organization needs an organization: name it by org, org_id or the header X-Organization.',
    })
  return { organization_id: scope.organization_id }
}

/** Returns the error for a reference to a project that does not exist. */
export const noSuchProject = (id: number): DomainError =>
  invalid({ project_id: `Invalid pk "${id}" - object does not exist.` })

/** Returns the sorted names of the events that a type of webhook may subscribe to; `all` for every type. */
export function eventsOf(type: (typeof webhookTypes)[number] | 'all'): string[] {
  const names = Object.entries(webhookEvents).filter(
    ([, types]) => type === 'all' || types.includes(type),
  )
  return names.map(([name]) => name).sort()
}
