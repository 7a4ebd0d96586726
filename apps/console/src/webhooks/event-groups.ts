/** Webhook events of one resource. */
export interface EventGroup {
  /** `task` of `update:task`. */
  about: string
  events: string[]
}

/** Groups events by resource, in the order of their first event. */
export function eventGroups(events: readonly string[]): EventGroup[] {
  const groups = new Map<string, string[]>()
  for (const event of events) {
    const about = resourceOf(event)
    groups.set(about, [...(groups.get(about) ?? []), event])
  }
  return [...groups].map(([about, events]) => ({ about, events }))
}

/** Returns the resource; `completed:request[export:dataset]` belongs to completed requests. */
function resourceOf(event: string): string {
  const { verb, thing, type } = partsOf(event)
  return type === undefined ? thing : `${thing} ${verb}`
}

/** Returns the action without the resource: `update`, `export:dataset`. */
export function actionOf(event: string): string {
  const { verb, type } = partsOf(event)
  return type ?? verb
}

function partsOf(event: string) {
  const [, verb = event, thing = event, type] = /^([^:]+):([^[]+)(?:\[(.*)\])?$/.exec(event) ?? []
  return { verb, thing, type }
}
