import {
  type Shape as RestShape,
  type Tag as RestTag,
  type Track as RestTrack,
  shapeTypes,
} from '@reticle/contracts/rest/annotations'
import { encodeShape, encodeTag, encodeTrack } from '@reticle/contracts/row-lines'
import { readSource } from '@reticle/formats/importing/object-source'
import { isBatch, type RootMember, ScanError } from '@reticle/formats/json/scan'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { type ErrorLocation, FormatError } from '@reticle/formats/report/errors'
import {
  createFieldError,
  isRecord,
  type JsonRecord,
  readFlag,
  readInteger,
  readNumber,
  readNumbers,
  readText,
} from '@reticle/formats/text/json-fields'
import { type Sets, splitSets } from './split-sets.ts'
import { fromArchiveEllipse } from './write-sets.ts'

/** Ids behind the name of a label: its own, those of its attributes, and the labels of its elements. */
export interface KnownLabel {
  id: number
  attributes: ReadonlyMap<string, number>
  sublabels: KnownLabels
}
export type KnownLabels = ReadonlyMap<string, KnownLabel>

interface Named {
  id?: number
  name?: string | undefined
  attributes?: readonly { id?: number | undefined; name?: string | undefined }[] | undefined
  sublabels?: readonly Named[] | undefined
}

/** Indexes labels by name. Before labels have ids all are 0, which is enough to find unknown names. */
export function knownLabels(labels: readonly Named[]): KnownLabels {
  return new Map(
    labels.map(({ id = 0, name = '', attributes = [], sublabels = [] }) => [
      name,
      {
        id,
        attributes: new Map(attributes.map((one) => [one.name ?? '', one.id ?? 0])),
        sublabels: knownLabels(sublabels),
      },
    ]),
  )
}

/** Row line with the index of its set in the archive. */
export interface SetLine {
  set: number
  line: string
}

const readers: Record<
  string,
  (item: JsonRecord, labels: KnownLabels, place: ErrorLocation) => string
> = {
  tags: (item, labels, place) => encodeTag(tagOf(item, labels, place)),
  shapes: (item, labels, place) => encodeShape(shapeOf(item, labels, place)),
  tracks: (item, labels, place) => encodeTrack(trackOf(item, labels, place)),
}

/**
 * Reads the sets of `annotations.json` as row lines, one object at a time.
 *
 * @param sets name of the member, and limit of its sets
 * @param report receives the sources that become `manual`
 * @throws FormatError naming the object
 */
export async function* readSets(
  pieces: AsyncIterable<Uint8Array>,
  labels: KnownLabels,
  sets: Sets,
  report: Pick<ReportWriter, 'note'>,
): AsyncGenerator<SetLine> {
  const { file } = sets
  try {
    for await (const { set, member } of splitSets(pieces, sets))
      for (const line of linesOf(member, labels, { file, set, report })) yield { set, line }
  } catch (thrown) {
    throw thrown instanceof ScanError ? new FormatError(thrown.message, { file }) : thrown
  }
}

function* linesOf(
  member: RootMember,
  labels: KnownLabels,
  { file, set, report }: { file: string; set: number; report: Pick<ReportWriter, 'note'> },
): Generator<string> {
  const { key } = member
  const items = isBatch(member) ? member.items : undefined
  const record = `[${set}].${key}`
  if (key === 'intervals') assertNone(items ?? Reflect.get(member, 'value'), { file, record })
  const read = readers[key]
  if (!read) return
  if (!items || !isBatch(member)) throw new FormatError('a list is expected', { file, record })
  for (const [index, item] of items.entries()) {
    const place = { file, record: `${record}[${member.first + index}]` }
    if (!isRecord(item)) throw new FormatError('an object is expected', place)
    noteUnknownSources(item, place, report)
    yield read(item, labels, place)
  }
}

/** Reports unknown sources of an object and of its elements. */
function noteUnknownSources(
  { source, elements }: JsonRecord,
  { file, record }: ErrorLocation,
  report: Pick<ReportWriter, 'note'>,
): void {
  const parts = Array.isArray(elements) ? elements.filter(isRecord) : []
  for (const given of [source, ...parts.map((part) => part.source)])
    readSource(given, (reason) =>
      report.note('converted', 'unknown-source', reason, { file, item: record }),
    )
}

/** Refuses spans of a video, which Reticle cannot store, instead of losing them silently. */
function assertNone(value: unknown, place: ErrorLocation): void {
  const isNone = value === null || (Array.isArray(value) && value.length === 0)
  if (!isNone) throw new FormatError('intervals are not supported', place)
}

function labelOf(item: JsonRecord, labels: KnownLabels, place: ErrorLocation): KnownLabel {
  const name = readText(item, 'label', place)
  const label = labels.get(name)
  if (!label) throw new FormatError(`there is no label '${name}'`, place)
  return label
}

function tagOf(item: JsonRecord, labels: KnownLabels, place: ErrorLocation): RestTag {
  const label = labelOf(item, labels, place)
  return {
    frame: readInteger(item, 'frame', place),
    label_id: label.id,
    group: item.group == null ? 0 : readInteger(item, 'group', place),
    source: readSource(item.source) ?? 'manual',
    attributes: attributesOf(item, label, place),
  }
}

function attributesOf(
  { attributes = [] }: JsonRecord,
  label: KnownLabel,
  place: ErrorLocation,
): RestTag['attributes'] {
  return listOf(attributes, 'attributes', place).map((item) => {
    const name = readText(item, 'name', place)
    const spec_id = label.attributes.get(name)
    if (spec_id === undefined) throw new FormatError(`there is no attribute '${name}'`, place)
    return { spec_id, value: String(item.value ?? '') }
  })
}

function listOf(value: unknown, field: string, place: ErrorLocation): JsonRecord[] {
  if (Array.isArray(value) && value.every(isRecord)) return value
  throw createFieldError(field, value, 'a list of objects', place)
}

type Geometry = Pick<RestShape, 'type' | 'occluded' | 'outside' | 'z_order' | 'rotation' | 'points'>

function geometryOf(item: JsonRecord, place: ErrorLocation): Geometry {
  const type = shapeTypes.find((one) => one === item.type)
  if (!type) throw createFieldError('type', item.type, `one of ${shapeTypes.join(', ')}`, place)
  const points = readNumbers(item.points ?? [], 'points', place)
  return {
    type,
    occluded: readFlag(item.occluded ?? false, 'occluded', place),
    outside: readFlag(item.outside ?? false, 'outside', place),
    z_order: item.z_order == null ? 0 : readInteger(item, 'z_order', place),
    rotation: readNumber(item.rotation ?? 0, 'rotation', place),
    points: type === 'ellipse' && points.length === 4 ? fromArchiveEllipse(points) : points,
  }
}

function elementOf(item: JsonRecord, labels: KnownLabels, place: ErrorLocation) {
  const score = readNumber(item.score ?? 1, 'score', place)
  return { ...tagOf(item, labels, place), ...geometryOf(item, place), score }
}

function shapeOf(item: JsonRecord, labels: KnownLabels, place: ErrorLocation): RestShape {
  const { sublabels } = labelOf(item, labels, place)
  const elements = listOf(item.elements ?? [], 'elements', place)
  return {
    ...elementOf(item, labels, place),
    elements: elements.map((one) => elementOf(one, sublabels, place)),
  }
}

function trackElementOf(item: JsonRecord, labels: KnownLabels, place: ErrorLocation) {
  const label = labelOf(item, labels, place)
  const shapes = listOf(item.shapes ?? [], 'shapes', place).map((shape) => ({
    ...geometryOf(shape, place),
    frame: readInteger(shape, 'frame', place),
    keyframe: readFlag(shape.keyframe ?? true, 'keyframe', place),
    attributes: attributesOf(shape, label, place),
  }))
  return { ...tagOf(item, labels, place), shapes }
}

function trackOf(item: JsonRecord, labels: KnownLabels, place: ErrorLocation): RestTrack {
  const { sublabels } = labelOf(item, labels, place)
  const elements = listOf(item.elements ?? [], 'elements', place)
  return {
    ...trackElementOf(item, labels, place),
    elements: elements.map((one) => trackElementOf(one, sublabels, place)),
  }
}
