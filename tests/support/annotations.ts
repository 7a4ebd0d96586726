import type { Answer, Client, Json, Sent } from './client.ts'
import { jobsOf, taskWithMedia } from './factories.ts'
import { pictures } from './pictures.ts'

/** Annotation sets as a script reads and writes them, on a task whose labels have everything that labels can have. */

/** What every set is that has no objects. */
export const emptySet = { version: 0, tags: [], shapes: [], tracks: [] }

const choice = { mutable: true, default_value: 'red', values: ['red', 'blue'] }
/** Attributes of `car`: two of tracks, the others of their keyframes. */
const attributes = [
  { ...choice, name: 'color', input_type: 'select' },
  { ...choice, name: 'trim', input_type: 'radio', mutable: false },
  { name: 'make', input_type: 'text', mutable: false, default_value: '', values: [] },
  { name: 'parked', input_type: 'checkbox', mutable: true, default_value: 'false', values: [] },
  {
    name: 'doors',
    input_type: 'number',
    mutable: true,
    default_value: '2',
    values: ['2', '5', '1'],
  },
]
const hat = { name: 'hat', input_type: 'text', mutable: true, default_value: 'none', values: [] }

/**
 * `car` with an attribute of every kind, the skeleton `person` with the joints `head` (which has the attribute `hat`) and
 * `foot`, `outline`, whose type is that of polygons, and `plain`, of which nothing is known.
 */
const labels: Json[] = [
  { name: 'car', attributes },
  {
    ...{ name: 'person', type: 'skeleton' },
    svg: ['head', 'foot']
      .map(
        (name) =>
          `<circle r="1" cx="40" cy="20" data-type="element node" data-label-name="${name}"></circle>`,
      )
      .join(''),
    sublabels: [
      { name: 'head', type: 'points', attributes: [hat] },
      { name: 'foot', type: 'points' },
    ],
  },
  { name: 'outline', type: 'polygon' },
  { name: 'plain' },
]

/** A task of ten frames of 64 by 48 in two jobs, and the ids by the names of labels and attributes. */
export interface Annotated {
  task: Json
  jobs: Json[]
  /** The label, sublabel or attribute of that name. */
  idOf: (name: string) => number
  /** The sets of the first job, of the second, and of the task. */
  first: AnnotationSets
  second: AnnotationSets
  whole: AnnotationSets
}

export async function annotatedTask(
  api: Client,
  given: { project_id?: number } = {},
): Promise<Annotated> {
  const files = await pictures(10)
  const task = await taskWithMedia(api, { files, segment_size: 5, labels, ...given })
  const [one, other] = await jobsOf(api, task.id)
  const all: Json[] = task.labels.flatMap((label: Json) => [label, ...label.sublabels])
  const named = [...all, ...all.flatMap((label: Json) => label.attributes)]
  return {
    task,
    jobs: [one, other],
    idOf: (name) => {
      const found = named.find((record) => record.name === name)
      if (!found) throw new Error(`there is no label or attribute ${name}`)
      return found.id
    },
    first: annotationSets(api, `/jobs/${one.id}/annotations/`),
    second: annotationSets(api, `/jobs/${other.id}/annotations/`),
    whole: annotationSets(api, `/tasks/${task.id}/annotations/`),
  }
}

export async function annotatedProject(api: Client): Promise<Json> {
  return api.done('POST', '/projects', { json: { name: 'annotated', labels } })
}

export type AnnotationSets = ReturnType<typeof annotationSets>

/** Calls of one set, by its URL. */
export function annotationSets(api: Client, url: string) {
  return {
    url,
    get: (headers?: Record<string, string>) =>
      api.call('GET', url, { ...(headers && { headers }) }),
    put: (json: Json, sent: Sent = {}) => api.call('PUT', url, { json, ...sent }),
    patch: (action: string, json: Json, sent: Sent = {}) =>
      api.call('PATCH', `${url}?action=${action}`, { json, ...sent }),
    clear: (sent: Sent = {}) => api.call('DELETE', url, sent),
    /** The whole of it, as it is stored. */
    read: (): Promise<Json> => api.done('GET', url),
    /** Replaces all of it; answers what is stored. */
    write: (json: Json): Promise<Json> => api.done('PUT', url, { json }),
    tag: async () => tagOf(await api.call('GET', url)),
  }
}

export const tagOf = ({ headers }: Pick<Answer, 'headers'>): string => headers.get('etag') ?? ''

/** Status, `X-Error-Code` and body of a refusal. */
export const refusalOf = ({ status, headers, body }: Answer) => [
  status,
  headers.get('x-error-code'),
  body,
]
