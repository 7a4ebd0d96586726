import type { webhookTypes } from '../rest/webhooks.ts'
import type { EventName } from './define.ts'

type Scope = (typeof webhookTypes)[number]

/** End of background work, by the type of its operation. */
type CompletedEvent = `completed:request[${CompletedOperation}]`
type CompletedOperation =
  | `export:${'dataset' | 'annotations' | 'backup'}`
  | `import:${'dataset' | 'annotations'}`
  | 'create:task'

/** Events that a webhook can subscribe to, with the types of webhooks that can. See docs/spec/webhooks.md#events. */
export const webhookEvents: Readonly<Record<string, readonly Scope[]>> = {
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
  'completed:request[export:dataset]': ['organization', 'project'],
  'completed:request[export:annotations]': ['organization', 'project'],
  'completed:request[export:backup]': ['organization', 'project'],
  'completed:request[import:dataset]': ['organization', 'project'],
  'completed:request[import:annotations]': ['organization', 'project'],
  'completed:request[create:task]': ['organization', 'project'],
} satisfies Partial<Record<EventName | CompletedEvent, readonly Scope[]>>

/** Event sent to one webhook on request; it cannot be subscribed to. */
export const pingEvent = 'ping'

/** Returns the name of the event for the end of background work, by the type of its operation. */
export function completedRequest(type: string): string {
  return `completed:request[${type}]`
}
