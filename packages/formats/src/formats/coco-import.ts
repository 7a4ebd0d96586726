/** Imports COCO instances (spec/formats.md 8.3): two passes over each file, flat in memory. */
import type { RandomAccess } from '../archive/source.ts'
import { FormatError, type Place } from '../errors.ts'
import type { JsonRecord } from '../json/fields.ts'
import { type LabelFinder, labelFinder } from '../labels.ts'
import { type Geometry, masksAsPolygons } from '../masks.ts'
import { type UnmatchedItems, unmatchedItems } from '../match-frames.ts'
import type { Imported, ImportTarget, Label, Run, Shape, TargetFrame } from '../model.ts'
import { type TrackBuilder, trackBuilder } from '../rebuild-tracks.ts'
import { type CocoFile, findCocoFiles } from './coco-files.ts'
import { type CocoIndex, readIndex, recordsOf, scanFile } from './coco-index.ts'
import { segmentRecords } from './coco-panoptic.ts'
import { type Flags, readAttributes, readFlags, readGeometry, readIds } from './coco-record.ts'
import { type IdSet, idSet } from './id-set.ts'

/** What lasts over all files of an import. */
interface Import {
  target: ImportTarget
  run: Run
  labels: LabelFinder
  unmatched: UnmatchedItems
  tracks: TrackBuilder
  /** Groups given so far, by frame. */
  groups: Map<number, number>
  shapes: number
  onBytes: (bytes: number) => void
}

/** One annotation on its way. */
interface Found {
  record: JsonRecord
  place: Place
  label: Label
  frame: TargetFrame
}

export async function* importCoco(
  source: RandomAccess,
  target: ImportTarget,
  run: Run,
): AsyncGenerator<Imported> {
  yield* importCocoFiles(await findCocoFiles(source, run), target, run)
}

export async function* importCocoFiles(
  files: CocoFile[],
  target: ImportTarget,
  run: Run,
): AsyncGenerator<Imported> {
  const state = newImport(files, target, run)
  for (const file of files) yield* importFile(file, state)
  state.labels.check()
  state.unmatched.check()
  for (const track of state.tracks.build()) {
    run.report.created('tracks')
    yield { kind: 'track', track }
  }
}

function newImport(files: CocoFile[], target: ImportTarget, run: Run): Import {
  const total = files.reduce((sum, file) => sum + file.size, 0)
  const last = target.frames.frames.findLast(({ frame }) => target.frames.includes(frame))
  let done = 0
  return {
    target,
    run,
    labels: labelFinder(target.labels),
    unmatched: unmatchedItems(),
    tracks: trackBuilder(last?.frame ?? 0),
    groups: new Map(),
    shapes: 0,
    onBytes: (bytes) => {
      run.signal.throwIfAborted()
      done += bytes
      run.progress(Math.min(1, done / (2 * total)))
    },
  }
}

async function* importFile(file: CocoFile, state: Import): AsyncGenerator<Imported> {
  const index = await readIndex(file, state.target.frames, state.onBytes)
  const ids = idSet()
  let segments = 0
  const wanted = (key: string): boolean => key !== 'images' && key !== 'categories'
  for await (const member of scanFile(file, { wanted }, state.onBytes)) {
    if (member.key !== 'annotations') continue
    for (const annotation of recordsOf(member, file, 'annotation')) {
      const records = file.picture ? await segmentRecords(annotation, file, segments) : [annotation]
      segments += records.length
      for (const { record, place } of records) {
        const found = findPlaces(record, place, index, ids, state)
        if (found) yield* importRecord(found, state)
      }
    }
  }
}

function* importRecord(found: Found, state: Import): Generator<Imported> {
  for (const shape of shapesOf(found, state)) {
    countShape(state, found.place)
    yield { kind: 'shape', shape }
  }
}

/** More shapes than these are no import (reliability.md 9). */
const shapesPerImport = 10_000_000

function countShape(state: Import, place: Place): void {
  state.run.report.created('shapes')
  state.shapes += 1
  if (state.shapes > shapesPerImport) {
    throw new FormatError(`more than ${shapesPerImport} shapes`, { file: place.file })
  }
}

/** The frame and label of an annotation; undefined when it is passed over. */
function findPlaces(
  record: JsonRecord,
  place: Place,
  index: CocoIndex,
  ids: IdSet,
  state: Import,
): Found | undefined {
  const { id, imageId, categoryId } = readIds(record, place)
  const image = index.images.get(imageId)
  if (!image) throw new FormatError(`image_id ${imageId} is none of the images`, place)
  if (!ids.add(id)) note(state, 'duplicate-entry', 'the annotation id is given twice', place)
  if (!image.frame) {
    state.unmatched.add(image.name)
    return undefined
  }
  if (!state.target.frames.includes(image.frame.frame)) {
    note(state, 'frame-outside-job', 'the frame lies outside of the job', place)
    return undefined
  }
  const label = findLabel(categoryId, index, place, state)
  return label && { record, place, label, frame: image.frame }
}

function findLabel(
  categoryId: number,
  { categories }: CocoIndex,
  place: Place,
  state: Import,
): Label | undefined {
  const name = categories.get(categoryId)
  if (name !== undefined) return state.labels.find(name)
  if (categoryId !== 0) {
    throw new FormatError(`category_id ${categoryId} is none of the categories`, place)
  }
  note(state, 'unlabelled', 'the annotation has no category', place)
  return undefined
}

/** The shapes of an annotation that belong to no track; parts of tracks go to the builder. */
function shapesOf(found: Found, state: Import): Shape[] {
  const { record, place, label, frame } = found
  if (label.type === 'skeleton') {
    note(state, 'dropped-shape-type', `label '${label.name}' takes skeletons only`, place)
    return []
  }
  const parts = partsOf(found, state)
  if (parts.length === 0) {
    note(state, 'degenerate-shape', 'the shape has no area', place)
    return []
  }
  const flags = readFlags(record, place)
  const { values, unknown } = readAttributes(record, label, place)
  for (const name of unknown) {
    note(state, 'dropped-attribute', `attribute '${name}' unknown on label '${label.name}'`, place)
  }
  noteLosses(found, parts, flags, state)
  const group = parts.length > 1 ? nextGroup(state, frame.frame) : 0
  const shapes = parts.map((part) => ({
    ...newShape(found, part, flags),
    attributes: values,
    group,
  }))
  const [only] = shapes
  if (!flags.track || !only || shapes.length > 1) return shapes
  const key = `${flags.track.id} of '${label.name}' (${only.type}) in ${place.file}`
  state.tracks.add(key, label, only, flags.track.isKeyframe, place)
  return []
}

function partsOf({ record, place, frame }: Found, { run }: Import): Geometry[] {
  const parts = readGeometry(record, frame, place)
  if (!run.conv_mask_to_poly || parts.every(({ type }) => type !== 'mask')) return parts
  const { file, record: item } = place
  run.report.note('converted', 'dropped-shape-type', 'masks are read as polygons', { file, item })
  return masksAsPolygons(parts)
}

function noteLosses(
  { record, place }: Found,
  parts: Geometry[],
  flags: Flags,
  state: Import,
): void {
  if (flags.rotation !== 0 && parts.some((part) => part.type !== 'rectangle')) {
    note(state, 'unsupported-rotation', 'only boxes are rotated', place)
  }
  if (record.keypoints !== undefined) {
    note(state, 'dropped-shape-type', 'keypoints are not read', place)
  }
  if (flags.track && parts.length > 1) {
    note(state, 'merged-group', 'objects of several parts are no tracks', place)
  }
}

function newShape({ label, frame }: Found, { type, points }: Geometry, flags: Flags): Shape {
  return {
    type,
    points,
    frame: frame.frame,
    label_id: label.id,
    group: 0,
    source: flags.source,
    occluded: flags.occluded,
    outside: flags.track ? flags.outside : false,
    z_order: 0,
    rotation: type === 'rectangle' ? flags.rotation : 0,
    score: flags.score,
    attributes: [],
    elements: [],
  }
}

function nextGroup({ groups }: Import, frame: number): number {
  const group = (groups.get(frame) ?? 0) + 1
  groups.set(frame, group)
  return group
}

type NoteCode = Parameters<Run['report']['note']>[1]

function note(state: Import, code: NoteCode, reason: string, { file, record }: Place): void {
  state.run.report.note('skipped', code, reason, { file, item: record })
}
