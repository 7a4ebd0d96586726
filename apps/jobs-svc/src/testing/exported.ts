import type { Facts } from '@reticle/contracts/rest/facts'
import type { Label } from '@reticle/contracts/rest/labels'
import { encodeShape, encodeTag, encodeTrack, rowLinesHeader } from '@reticle/contracts/row-lines'
import { factsOf, frameOf } from '@reticle/contracts/testing/records'
import { sourceOf } from '@reticle/formats/archive/source'
import { openZip } from '@reticle/formats/archive/zip-reader'
import { exportDataset } from '../exports/export-dataset.ts'
import type { OperationServices } from '../operations/operation.ts'
import { gatherBytes } from '../storage/stored-file.ts'
import { exportWork, runOf, type testStore } from './run.ts'
import { authorityOf, bytesAnswer, jsonLinesOf, servicesOf } from './services.ts'

const common = { group: 0, source: 'manual' as const, attributes: [] }
const place = { occluded: false, outside: false, z_order: 0, rotation: 0, points: [10, 10, 30, 20] }

type ShapeRow = Parameters<typeof encodeShape>[0]
type TrackRow = Parameters<typeof encodeTrack>[0]
type Keyframe = TrackRow['shapes'][number]

/** Formats row lines of a rectangle, a tag and a track of label 1. */
export const shapeLine = (given: Partial<ShapeRow> = {}) =>
  encodeShape({
    ...common,
    ...place,
    id: 7,
    frame: 0,
    label_id: 1,
    type: 'rectangle',
    score: 1,
    elements: [],
    ...given,
  })
export const tagLine = (given: Partial<Parameters<typeof encodeTag>[0]> = {}) =>
  encodeTag({ ...common, id: 8, frame: 0, label_id: 1, ...given })
export const trackLine = (keyframes: Partial<Keyframe>[], given: Partial<TrackRow> = {}) => {
  const shapes = keyframes.map((one) => keyframe(one))
  const frame = shapes[0]?.frame ?? 0
  return encodeTrack({ ...common, id: 9, label_id: 1, frame, shapes, elements: [], ...given })
}
export const keyframe = (given: Partial<Keyframe> = {}): Keyframe => ({
  ...place,
  type: 'rectangle',
  frame: 0,
  keyframe: true,
  attributes: [],
  ...given,
})

/** Content of a task to export. */
export interface Exporting {
  store: Awaited<ReturnType<typeof testStore>>
  labels: readonly Label[]
  /** Row lines after the header. */
  lines: readonly string[]
  /** Number of frames of the task, named `f0.jpg` and on; one job has all of them. */
  size: number
  deleted?: number[]
  facts?: Partial<Facts>
}

/** Exports a task in a format; returns the report, and the text of each file of the archive by its name. */
export async function exportTask(format: string, options: Exporting) {
  const { store, labels, lines, size, deleted = [] } = options
  const jobs = [{ id: 31, start_frame: 0, stop_frame: size - 1 }]
  const facts = factsOf({ size, jobs, ...options.facts })
  const names = Array.from({ length: size }, (_, frame) => `f${frame}.jpg`)
  const readFrames: OperationServices['media']['readFrames'] = async ({ start, stop }) =>
    bytesAnswer(jsonLinesOf(names.slice(start, stop + 1).map((name) => frameOf({ name }))))
  const services = servicesOf({
    tasks: authorityOf([{ target: 'task', id: 1, user_id: 1, facts }]),
    labels: { getLabelSet: async () => ({ labels_revision: 1, labels: [...labels] }) },
    media: { readFrames, getDeletedFrames: async () => ({ frames: deleted }) },
    annotations: { readRows: async () => bytesAnswer([rowLinesHeader, ...lines]) },
  })
  const work = exportWork({ format })
  const { report, result } = await exportDataset(work, await runOf(store, services))
  if (!report) throw new Error('the export returned no report')
  const { chunks } = await store.blobs.get(result?.key ?? '')
  const zip = await openZip(sourceOf(await gatherBytes(chunks)))
  const files = new Map<string, string>()
  for (const [name, entry] of zip.files)
    files.set(name, Buffer.from(await zip.bytes(entry)).toString('latin1'))
  return { report, files }
}
