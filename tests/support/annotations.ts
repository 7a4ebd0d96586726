import { beforeAll, expect } from 'vitest'
import type { AnyJson, ApiClient, ApiRequestInit, ApiResponse } from './client.ts'
import { jobsOf, rectangle, taskWithMedia } from './factories.ts'
import { createImages } from './pictures.ts'
import type { ServerUnderTest } from './reticle.ts'

/** A set without objects. */
export const emptySet = { version: 0, tags: [], shapes: [], tracks: [] }

const choice = { mutable: true, default_value: 'red', values: ['red', 'blue'] }
/** Attributes of `car`: two immutable ones of tracks, the others of their keyframes. */
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
 * `car` with an attribute of every kind, the skeleton `person` with the elements `head` (with the attribute `hat`) and
 * `foot`, `outline` for polygons, and `plain` without attributes or a type.
 */
const labels: AnyJson[] = [
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

/** A task of ten frames of 64 by 48 pixels in two jobs, with the ids of labels and attributes by name. */
export interface Annotated {
  task: AnyJson
  jobs: AnyJson[]
  /** Returns the id of the label, sublabel or attribute with that name. */
  idOf: (name: string) => number
  /** Builds a rectangle of `plain` on the first frame. */
  box: (more?: AnyJson) => AnyJson
  /** Builds an element `head` or `foot`. */
  joint: (name: string, more?: AnyJson) => AnyJson
  person: (elements: AnyJson[], more?: AnyJson) => AnyJson
  /** Annotation sets of the first job, of the second job, and of the task. */
  first: AnnotationSets
  second: AnnotationSets
  whole: AnnotationSets
}

export async function annotatedTask(
  api: ApiClient,
  given: { project_id?: number } = {},
): Promise<Annotated> {
  const made = await makeTask(api, given)
  return annotated(() => made)
}

/** Creates a task before the first test of a file; all tests of the file write to it. */
export function sharedTask(reticle: ServerUnderTest): Annotated {
  let made: Made
  beforeAll(async () => {
    made = await makeTask(reticle.admin)
  })
  return annotated(() => made)
}

type Made = Awaited<ReturnType<typeof makeTask>>

async function makeTask(api: ApiClient, given: { project_id?: number } = {}) {
  const files = await createImages(10)
  const task = await taskWithMedia(api, { files, segment_size: 5, labels, ...given })
  const [one, other] = await jobsOf(api, task.id)
  return { api, task, jobs: [one, other] }
}

function annotated(made: () => Made): Annotated {
  const sets = (urlOf: (ids: Made) => string) =>
    setsAt(() => ({ api: made().api, url: `${urlOf(made())}/annotations/` }))
  const idOf = (name: string) => {
    const all: AnyJson[] = made().task.labels.flatMap((label: AnyJson) => [
      label,
      ...label.sublabels,
    ])
    const named = [...all, ...all.flatMap((label: AnyJson) => label.attributes)]
    const found = named.find((record) => record.name === name)
    if (!found) throw new Error(`there is no label or attribute ${name}`)
    return found.id
  }
  return {
    get task() {
      return made().task
    },
    get jobs() {
      return made().jobs
    },
    idOf,
    box: (more = {}) => ({ ...rectangle(idOf('plain')), ...more }),
    joint: (name, more = {}) => ({
      ...{ type: 'points', frame: 0, label_id: idOf(name), points: [1, 2] },
      ...more,
    }),
    person: (elements, more = {}) => ({
      ...{ type: 'skeleton', frame: 0, label_id: idOf('person'), elements },
      ...more,
    }),
    first: sets(({ jobs }) => `/jobs/${jobs[0].id}`),
    second: sets(({ jobs }) => `/jobs/${jobs[1].id}`),
    whole: sets(({ task }) => `/tasks/${task.id}`),
  }
}

export async function annotatedProject(api: ApiClient): Promise<AnyJson> {
  return api.done('POST', '/projects', { json: { name: 'annotated', labels } })
}

export type AnnotationSets = ReturnType<typeof setsAt>

/** Creates a client of the annotation set at a URL. */
export const annotationSets = (api: ApiClient, url: string) => setsAt(() => ({ api, url }))

type Kind = 'tags' | 'shapes' | 'tracks'

function setsAt(place: () => { api: ApiClient; url: string }) {
  const call = (method: string, sent?: ApiRequestInit, query = '') => {
    const { api, url } = place()
    return api.call(method, `${url}${query}`, sent)
  }
  const done = (method: string, sent?: ApiRequestInit): Promise<AnyJson> => {
    const { api, url } = place()
    return api.done(method, url, sent)
  }
  const get = (headers: Record<string, string> = {}) => call('GET', { headers })
  const put = (json: AnyJson, sent: ApiRequestInit = {}) => call('PUT', { json, ...sent })
  const read = () => done('GET')
  const write = (json: AnyJson) => done('PUT', { json })
  async function refusing(refused: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const before = await get()
    const answer = await refused()
    const after = await get()
    expect([after.text, tagOf(after)]).toEqual([before.text, tagOf(before)])
    return answer
  }
  return {
    get url() {
      return place().url
    },
    call,
    get,
    put,
    patch: (action: string, json: AnyJson, sent: ApiRequestInit = {}) =>
      call('PATCH', { json, ...sent }, `?action=${action}`),
    clear: (sent: ApiRequestInit = {}) => call('DELETE', sent),
    /** Reads the whole set. */
    read,
    /** Replaces the whole set; returns the stored one. */
    write,
    tag: async () => tagOf(await get()),
    /** Makes a call that must be refused, and checks that the set is unchanged byte for byte. */
    refusing,
    /** Writes one object; returns it as stored, after a read has returned the same. */
    stored: async (kind: Kind, object: AnyJson): Promise<AnyJson> => {
      const set = await write({ [kind]: [object] })
      expect(await read()).toEqual(set)
      return set[kind][0]
    },
    /** Returns the refusal of one object, after checking that nothing changed. */
    refused: async (kind: Kind, object: AnyJson) =>
      refusalOf(await refusing(() => put({ [kind]: [object] }))),
  }
}

export const tagOf = ({ headers }: Pick<ApiResponse, 'headers'>): string =>
  headers.get('etag') ?? ''

export const keyframe = (frame: number, more: AnyJson = {}) => ({
  ...{ type: 'rectangle', frame, points: [1, 2, 30, 40] },
  ...more,
})

/** Returns status, `X-Error-Code` and body of a refusal. */
export const refusalOf = ({ status, headers, body }: ApiResponse) => [
  status,
  headers.get('x-error-code'),
  body,
]
