/** Imports COCO instances: two passes over each file, in constant memory (docs/spec/formats.md#coco). */
import type { RandomAccess } from '../../archive/source.ts'
import type { Flags } from '../../importing/flags.ts'
import {
  createIntake,
  createShape,
  type ImportIntake,
  type NewShape,
  shareOf,
} from '../../importing/intake.ts'
import { createItemComparison } from '../../importing/item-frames.ts'
import {
  createTrackBuilder,
  isRepeated,
  type TrackBuilder,
} from '../../importing/rebuild-tracks.ts'
import { masksAsPolygons, type PartGeometry } from '../../masks/as-polygons.ts'
import type {
  ConversionRun,
  DatasetLabel,
  Imported,
  ImportTarget,
  TargetFrame,
} from '../../model/dataset.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { isRecord, type JsonRecord } from '../../text/json-fields.ts'
import { assertFewNumbers } from '../../text/numbers.ts'
import { type CocoFile, findCocoFiles } from './files.ts'
import { createIdSet, type IdSet } from './id-set.ts'
import { type CocoIndex, readIndex, recordsOf, scanFile } from './names.ts'
import { segmentRecords } from './panoptic.ts'
import {
  type CocoId,
  hasKeypoints,
  readFlags,
  readGeometry,
  readIds,
  readValues,
} from './record.ts'

/** State of an import across all its files. */
interface CocoImport {
  intake: ImportIntake
  /** Builders of tracks by their id in the files. */
  tracks: Map<string, TrackBuilder>
  onBytes: (bytes: number) => void
}

/** One annotation with its label and frame. */
interface Found {
  record: JsonRecord
  location: ErrorLocation
  label: DatasetLabel
  frame: TargetFrame
}

export function importCoco(
  source: RandomAccess,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  return importCocoFiles(findCocoFiles(source, run), target, run)
}

export async function* importCocoFiles(
  given: CocoFile[] | Promise<CocoFile[]>,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  const files = await given
  const state = newImport(files, target, run)
  for (const file of files)
    for await (const shapes of importFile(file, state))
      for (const shape of shapes) yield* state.intake.shape(shape)
  state.intake.check()
  for (const [file, tracks] of state.tracks)
    for (const track of tracks.build()) yield* state.intake.track(track, file)
}

function newImport(files: CocoFile[], target: ImportTarget, run: ConversionRun): CocoImport {
  const intake = createIntake(target, run, '', createItemComparison(target, run, files.length))
  const total = files.reduce((sum, file) => sum + file.size, 0)
  let done = 0
  return {
    intake,
    tracks: new Map(files.map(({ name }) => [name, createTrackBuilder(intake)])),
    onBytes: (bytes) => {
      run.signal.throwIfAborted()
      done += bytes
      run.progress(shareOf(done, 2 * total))
    },
  }
}

/** Yields the shapes of a file in batches of annotations. */
async function* importFile(file: CocoFile, state: CocoImport): AsyncGenerator<NewShape[]> {
  const index = await readIndex(file, state.intake.target.frames, state.onBytes)
  const ids = createIdSet()
  let segments = 0
  const selects = (key: string): boolean => key !== 'images' && key !== 'categories'
  for await (const member of scanFile(file, { selects }, state.onBytes)) {
    if (member.key !== 'annotations') continue
    const shapes: NewShape[] = []
    for (const annotation of recordsOf(member, file, 'annotation')) {
      const isPanoptic = annotation.record.segments_info !== undefined
      const records = isPanoptic ? await segmentRecords(annotation, file, segments) : [annotation]
      segments += records.length
      for (const { record, location } of records) {
        const found = findPlaces(record, location, index, ids, state)
        if (found) readShapes(found, state, shapes)
      }
    }
    yield shapes
  }
}

/** Returns the frame and label of an annotation; undefined when it is skipped. */
function findPlaces(
  record: JsonRecord,
  location: ErrorLocation,
  index: CocoIndex,
  ids: IdSet,
  { intake }: CocoImport,
): Found | undefined {
  const { id, imageId, categoryId } = readIds(record, location)
  const image = index.images.get(imageId)
  if (!image) throw new FormatError(`image_id ${imageId} is none of the images`, location)
  if (!ids.add(id))
    intake.note('converted', 'duplicate-entry', 'an id is given twice, both are read', location)
  const frame = intake.frameFor(image, location)
  const name = frame && labelName(categoryId, index, location)
  const label = name === undefined ? undefined : intake.labelFor(name, location)
  return frame && label && { record, location, label, frame }
}

/** Returns the label name. It is empty for unlabelled objects: category 0, unless the file declares it. */
function labelName(categoryId: CocoId, { categories }: CocoIndex, location: ErrorLocation): string {
  const name = categories.get(categoryId) ?? (categoryId === 0 ? '' : undefined)
  if (name !== undefined) return name
  throw new FormatError(`category_id ${categoryId} is none of the categories`, location)
}

/** Adds the shapes of an annotation to `shapes`; shapes of tracks are added to the track builder. */
function readShapes(found: Found, { intake, tracks }: CocoImport, shapes: NewShape[]): void {
  const { record, location, label, frame } = found
  const parts = partsOf(found, intake)
  if (parts.length === 0) return
  const flags = readFlags(record, location)
  const attributes = intake.valuesFor(label, readValues(record, label, location), location)
  noteLosses(found, parts, flags, intake)
  const group = parts.length > 1 ? intake.newGroup(frame.frame) : 0
  const score = intake.scoreFor(record.score ?? flags.score, location)
  const source = intake.sourceFor(flags.source, location)
  const { occluded, track } = flags
  for (const { type, points } of parts) {
    assertFewNumbers(points, location)
    const shape = {
      type,
      points,
      frame: frame.frame,
      label_id: label.id,
      group,
      source,
      score,
      occluded,
      outside: track ? flags.outside : false,
      rotation: type === 'rectangle' ? flags.rotation : 0,
      attributes,
    }
    const key = `${track?.id} of '${label.name}' (${type}) in ${location.file}`
    const own = tracks.get(location.file ?? '')
    const isShape = !track || !own || parts.length > 1
    if (isShape || isRepeated(track, key, { frame, location, tracks: own }, intake))
      shapes.push(shape)
    else own.add(key, label, createShape(shape), track.isKeyframe, location)
  }
}

const boxInstead = 'the segmentation has no area or cannot be read, its bbox is read instead'

/** Returns the parts that have an area. */
function partsOf(
  { record, location, frame }: Found,
  { run, note, skip }: ImportIntake,
): PartGeometry[] {
  const { parts: all, isBoxInstead } = readGeometry(record, frame, location)
  const parts = all.filter((part) => part !== undefined)
  if (isBoxInstead) note('converted', 'degenerate-shape', boxInstead, location)
  if (parts.length === 0) skip('degenerate-shape', 'the shape has no area', location)
  else if (parts.length < all.length) {
    skip('degenerate-shape', 'a part of the shape has no area', location)
  }
  if (!run.conv_mask_to_poly || parts.every(({ type }) => type !== 'mask')) return parts
  note('converted', 'dropped-shape-type', 'masks are read as polygons', location)
  return masksAsPolygons(parts)
}

function noteLosses(
  { record, location }: Found,
  parts: PartGeometry[],
  flags: Flags,
  { skip }: ImportIntake,
): void {
  // CVAT writes the angle of an ellipse next to a mask that is already rotated.
  const isMask = isRecord(record.segmentation)
  if (flags.rotation !== 0 && !isMask && parts.some((part) => part.type !== 'rectangle')) {
    skip('unsupported-rotation', 'only boxes are rotated', location)
  }
  if (hasKeypoints(record)) {
    skip('dropped-shape-type', 'keypoints are not read', location)
  }
  if (flags.track && parts.length > 1) {
    skip('merged-group', 'objects of several parts are no tracks', location)
  }
}
