import type { webhookTypes } from '../rest/webhooks.ts'

type Scope = (typeof webhookTypes)[number]

/** Events a webhook can subscribe to, and of which type it must be (`spec/service-api.md` Event names). */
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
}
