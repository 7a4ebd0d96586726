import type { Facts } from '@reticle/contracts/rest/facts'
import type { Label } from '@reticle/contracts/rest/labels'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { forbidden, notFound } from '@reticle/kit'
import type { OperationServices } from '../operations/operation.ts'

/** A task of ten frames without organization, seen by its own user. */
export function factsOf(given: Partial<Facts> = {}): Facts {
  return {
    target: 'task',
    project_id: null,
    task_id: 1,
    job_id: null,
    organization_id: null,
    organization_role: null,
    relations: ['task owner'],
    labels_revision: 1,
    size: 10,
    dimension: '2d',
    subset: '',
    updated_date: '2026-03-01T10:00:00.000Z',
    jobs: [{ id: 1, start_frame: 0, stop_frame: 9 }],
    ...given,
  }
}

/** What one user may do to one object, in the service of a test. */
export interface Grant {
  target: Facts['target']
  id: number
  user_id: number
  facts: Facts
}

/** Answers for what it was told of: another user's object is forbidden, what nobody has is not found. */
export function authorityOf(grants: readonly Grant[]): OperationServices['tasks'] {
  return {
    authorize: async ({ target, id }, { principal }) => {
      const known = grants.filter((one) => one.target === target && one.id === id)
      if (known.length === 0) throw notFound()
      const own = known.find((one) => one.user_id === principal?.user_id)
      if (!own) throw forbidden()
      return own.facts
    },
  }
}

export function labelOf(given: Partial<Label> = {}): Label {
  return {
    id: 1,
    name: 'car',
    color: '#ff0000',
    type: 'any',
    attributes: [],
    has_parent: false,
    sublabels: [],
    parent_id: null,
    ...given,
  }
}

export function frameOf(given: Partial<FrameSource> = {}): FrameSource {
  return {
    name: 'a.jpg',
    width: 100,
    height: 50,
    key: 'media/a',
    offset: 0,
    length: 1,
    packing: 'stored',
    media_type: 'image/jpeg',
    ...given,
  }
}

/** Texts as the bytes of an answer. */
export function bytesAnswer(texts: readonly string[]) {
  return { head: {}, chunks: bytesOf(texts) }
}

export async function* bytesOf(
  texts: readonly (string | Uint8Array)[],
): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

export const jsonLinesOf = (values: readonly unknown[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`)

export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of chunks) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

const missing = async () => {
  throw notFound('this service is not part of the test')
}

/** Services of which only those given answer. */
export function servicesOf(given: {
  tasks?: OperationServices['tasks']
  labels?: OperationServices['labels']
  media?: Partial<OperationServices['media']>
  annotations?: Partial<OperationServices['annotations']>
}): OperationServices {
  return {
    tasks: given.tasks ?? { authorize: missing },
    labels: given.labels ?? { getLabelSet: missing },
    media: { attachMedia: missing, readFrames: missing, ...given.media },
    annotations: { readRows: missing, writeRows: missing, ...given.annotations },
  }
}
