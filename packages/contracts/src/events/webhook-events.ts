import type { webhookTypes } from '../rest/webhooks.ts'

type Scope = (typeof webhookTypes)[number]

/**
 * Events a webhook can subscribe to, and of which type it must be (`spec/service-api.md` Event names,
 * `spec/api-annotations.md` 4.3).
 */
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

/** Sent when it is asked for, to one webhook; none can subscribe to it. */
export const pingEvent = 'ping'

/** The end of background work, by the type of its operation (`spec/api-annotations.md` 4.3). */
export function completedRequest(type: string): string {
  return `completed:request[${type}]`
}
