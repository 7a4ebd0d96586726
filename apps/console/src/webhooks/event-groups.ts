/** Events of webhooks as people look for them: by what they are about. */
export interface EventGroup {
  /** `task` of `update:task`. */
  about: string
  events: string[]
}

/** In the order of the service, each group where its first event is. */
export function eventGroups(events: readonly string[]): EventGroup[] {
  const groups = new Map<string, string[]>()
  for (const event of events) {
    const about = aboutOf(event)
    groups.set(about, [...(groups.get(about) ?? []), event])
  }
  return [...groups].map(([about, events]) => ({ about, events }))
}

/** `completed:request[export:dataset]` is about a request that is completed, of one of several types. */
function aboutOf(event: string): string {
  const { verb, thing, type } = partsOf(event)
  return type === undefined ? thing : `${thing} ${verb}`
}

/** What happened, without what it happened to: `update`, `export:dataset`. */
export function happening(event: string): string {
  const { verb, type } = partsOf(event)
  return type ?? verb
}

function partsOf(event: string) {
  const [, verb = event, thing = event, type] = /^([^:]+):([^[]+)(?:\[(.*)\])?$/.exec(event) ?? []
  return { verb, thing, type }
}
