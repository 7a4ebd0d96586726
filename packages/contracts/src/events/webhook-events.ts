import type { webhookTypes } from '../rest/webhooks.ts'

type Scope = (typeof webhookTypes)[number]

/** Events that a webhook can subscribe to, with the types of webhooks that can. See docs/spec/webhooks.md#events. */
export const webhookEvents: Record<string, readonly Scope[]> = {
  'create:project': ['organization'],
  'update:project': ['organization', 'project'],
  'delete:project': ['organization', 'project'],
  'create:task': ['organization', 'project'],
  'update:task': ['organization', 'project'],
  'delete:task': ['organization', 'project'],
  'create:job': ['organization', 'project'],
  'update:job': ['organization', 'project'],
  'delete:job': ['organization', 'project'],
  'create:issue': ['organization', 'project'],
  'update:issue': ['organization', 'project'],
  'delete:issue': ['organization', 'project'],
  'create:comment': ['organization', 'project'],
  'update:comment': ['organization', 'project'],
  'delete:comment': ['organization', 'project'],
  'update:organization': ['organization'],
  'delete:organization': ['organization'],
  'create:membership': ['organization'],
  'update:membership': ['organization'],
  'delete:membership': ['organization'],
  'create:invitation': ['organization'],
  'delete:invitation': ['organization'],
  ...Object.fromEntries(
    [
      ...['export:dataset', 'export:annotations', 'export:backup'],
      ...['import:dataset', 'import:annotations', 'create:task'],
    ].map((type) => [completedRequest(type), ['organization', 'project'] as const]),
  ),
}

/** Event sent to one webhook on request; it cannot be subscribed to. */
export const pingEvent = 'ping'

/** Returns the name of the event for the end of background work, by the type of its operation. */
export function completedRequest(type: string): string {
  return `completed:request[${type}]`
}
