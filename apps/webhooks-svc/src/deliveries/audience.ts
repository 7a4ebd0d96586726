/** Project and organization whose webhooks an event can reach; null: none. */
export interface EventPlace {
  project_id: number | null
  organization_id: number | null
}

/** Webhooks of one project or one organization, and the event name that they receive. */
export interface Audience {
  project_id: number | null
  organization_id: number | null
  /** `update:task` */
  event: string
  /** Whether the payload contains the record as it was before the change. */
  isPast: boolean
}

type Old = Readonly<Record<string, unknown>>

/**
 * Returns the audiences of an event. An update that moves a resource to another organization is an `update` for the
 * webhooks of its project only: the old organization receives a `delete`, the new one a `create`.
 */
export function audiencesOf(
  event: string,
  { project_id, organization_id }: EventPlace,
  before: Old,
) {
  const same = { event, isPast: false }
  const ofProject: Audience = { ...same, project_id, organization_id: null }
  const left = leftOrganization(before)
  if (left === undefined || !event.startsWith('update:'))
    return withTarget([ofProject, { ...same, project_id: null, organization_id }])
  const resource = event.slice('update:'.length)
  const deletion = { event: `delete:${resource}`, isPast: true }
  const creation = { event: `create:${resource}`, isPast: false }
  return withTarget([
    ofProject,
    { ...deletion, project_id: null, organization_id: left },
    { ...creation, project_id: null, organization_id },
  ])
}

/** Returns undefined when the organization did not change, and null when there was none before. */
function leftOrganization({ organization }: Old): number | null | undefined {
  return organization === null || typeof organization === 'number' ? organization : undefined
}

const withTarget = (all: Audience[]) =>
  all.filter((one) => one.project_id !== null || one.organization_id !== null)
