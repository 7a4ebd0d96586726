/** Whose webhooks hear of a fact: of a project, of an organization, of both or of none. */
export interface Place {
  project_id: number | null
  organization_id: number | null
}

/** The webhooks of one project or organization, and what they are told happened. */
export interface Audience {
  project_id: number | null
  organization_id: number | null
  /** `update:task` */
  event: string
  /** The record is told as it was before. */
  isPast: boolean
}

type Old = Readonly<Record<string, unknown>>

/**
 * Who is told of a fact, and what (`spec/api-annotations.md` 4.3). An update by which something goes from one organization to
 * another is that to its project's webhooks alone: for the organization it leaves it is deleted, for the other one created.
 */
export function audiencesOf(event: string, { project_id, organization_id }: Place, before: Old) {
  const told = { event, isPast: false }
  const ofProject: Audience = { ...told, project_id, organization_id: null }
  const left = leftOrganization(before)
  if (left === undefined || !event.startsWith('update:'))
    return present([ofProject, { ...told, project_id: null, organization_id }])
  const resource = event.slice('update:'.length)
  const went = { event: `delete:${resource}`, isPast: true }
  const came = { event: `create:${resource}`, isPast: false }
  return present([
    ofProject,
    { ...went, project_id: null, organization_id: left },
    { ...came, project_id: null, organization_id },
  ])
}

/** Undefined: it stayed where it is; null: it was in none. */
function leftOrganization({ organization }: Old): number | null | undefined {
  return organization === null || typeof organization === 'number' ? organization : undefined
}

const present = (all: Audience[]) =>
  all.filter((one) => one.project_id !== null || one.organization_id !== null)
