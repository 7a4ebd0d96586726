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

/** The names of events that clients of version 2.58 accept. */
export const knownEventsIn = (names: unknown): string[] =>
  [names]
    .flat()
    .map(String)
    .filter((name) => knownEvents.has(name))
