/** Imports LabelMe 3.0, one document at a time. */
import { bitmapToCrop } from '@reticle/geometry'
import type { RandomAccess } from '../../archive/source.ts'
import type { Png } from '../../image/png.ts'
import { createIntake, createShape, type ImportIntake } from '../../importing/intake.ts'
import { deepestOf } from '../../importing/match-frames.ts'
import { masksAsPolygons, type PartGeometry } from '../../masks/as-polygons.ts'
import { readMaskPicture } from '../../masks/picture.ts'
import type {
  ConversionRun,
  DatasetShape,
  Imported,
  ImportTarget,
  TargetFrame,
} from '../../model/dataset.ts'
import type { ErrorLocation } from '../../report/errors.ts'
import { assertFewNumbers } from '../../text/numbers.ts'
import {
  findMaskPicture,
  type LabelMeArchive,
  openLabelMe,
  picturePaths,
  readDocument,
} from './archive.ts'
import { groupsOf } from './groups.ts'
import { customValues, type LabelMeDocument, type LabelMeObject } from './record.ts'

/** State of an import. */
interface LabelMeImport {
  archive: LabelMeArchive
  intake: ImportIntake
  name: string
  document: LabelMeDocument
}

export async function* importLabelMe(
  source: RandomAccess,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  yield* importLabelMeArchive(await openLabelMe(source, run), target, run)
}

/**
 * Imports an archive.
 * @param archive Archive with the documents to read.
 */
export async function* importLabelMeArchive(
  archive: LabelMeArchive,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  const { documents } = archive
  const intake = createIntake(target, run, await deepestPath(archive))
  for (const [index, name] of documents.entries()) {
    run.signal.throwIfAborted()
    run.progress(index / documents.length)
    const document = await readDocument(archive, name)
    yield* importDocument({ archive, intake, name, document })
  }
  intake.check()
}

/** Returns the image path of the deepest document; it shows which part of the path belongs to the subset. */
async function deepestPath(archive: LabelMeArchive): Promise<string> {
  const name = deepestOf(archive.documents)
  return picturePaths(name, await readDocument(archive, name))[0] ?? ''
}

async function* importDocument(state: LabelMeImport): AsyncGenerator<Imported> {
  const { intake, name, document } = state
  const paths = picturePaths(name, document)
  const found = intake.match({ paths }, { name: paths[0] ?? name, size: document.size })
  const read: Read[] = []
  for (const object of document.objects) {
    const frame = intake.frameFor(found, object.location)
    const shapes = frame ? await readShapes(object, frame, state) : []
    if (shapes.length > 0) read.push({ object, shapes })
  }
  for (const shape of withGroups(read, intake)) yield* intake.shape(shape)
}

interface Read {
  object: LabelMeObject
  shapes: DatasetShape[]
}

/** Yields shapes with group numbers: groups of the imported objects, and the polygons of one mask. */
function* withGroups(read: readonly Read[], { newGroup }: ImportIntake): Generator<DatasetShape> {
  const groups = groupsOf(read.map(({ object }) => object))
  const numbers = new Map<string, number>()
  for (const { object, shapes } of read) {
    const alone = shapes.length > 1 ? object.location.record : undefined
    const name = groups.get(object) ?? alone
    if (name === undefined) yield* shapes
    else
      for (const shape of shapes) {
        const group = numbers.get(name) ?? newGroup(shape.frame)
        numbers.set(name, group)
        yield { ...shape, group }
      }
  }
}

/** Returns the shapes of an object; several when its mask becomes polygons. */
async function readShapes(
  object: LabelMeObject,
  frame: TargetFrame,
  state: LabelMeImport,
): Promise<DatasetShape[]> {
  const { intake } = state
  const { location, flags } = object
  const label = intake.labelFor(object.label, location)
  if (!label) return []
  const parts = await readParts(object, frame, state)
  if (parts.length === 0) {
    intake.skip('degenerate-shape', 'the shape has no area', location)
    return []
  }
  if (flags.rotation !== 0 && object.geometry.type === 'polygon')
    intake.skip('unsupported-rotation', 'only boxes are rotated', location)
  if (flags.track)
    intake.note('converted', 'dropped-shape-type', 'tracks are read as shapes of frames', location)
  const attributes = intake.valuesFor(label, customValues(object, label), location)
  const { occluded, rotation } = flags
  const source = intake.sourceFor(flags.source, location)
  const score = intake.scoreFor(flags.score, location)
  for (const { points } of parts) assertFewNumbers(points, location)
  return parts.map(({ type, points }) =>
    createShape({
      type,
      points,
      frame: frame.frame,
      label_id: label.id,
      attributes,
      occluded,
      source,
      score,
      rotation: type === 'rectangle' ? rotation : 0,
    }),
  )
}

async function readParts(
  { geometry, location }: LabelMeObject,
  frame: TargetFrame,
  state: LabelMeImport,
): Promise<PartGeometry[]> {
  if (geometry.type === 'mask') return readMask(geometry.picture, location, frame, state)
  const [left = 0, top = 0, right = 0, bottom = 0] = geometry.points
  const hasArea =
    geometry.type === 'polygon' ? geometry.points.length >= 6 : right > left && bottom > top
  return hasArea ? [geometry] : []
}

async function readMask(
  picture: string,
  location: ErrorLocation,
  frame: TargetFrame,
  { archive, intake, name, document }: LabelMeImport,
): Promise<PartGeometry[]> {
  const { bytes, file } = await findMaskPicture(archive, name, document, picture, location)
  const points = maskIn(await readMaskPicture(bytes, frame, { file }))
  const masks: PartGeometry[] = points ? [{ type: 'mask', points }] : []
  if (intake.run.conv_mask_to_poly === false || masks.length === 0) return masks
  intake.note('converted', 'dropped-shape-type', 'masks are read as polygons', location)
  return masksAsPolygons(masks)
}

/** Returns the pixels with a channel that is not 0, including nearly transparent soft edges. */
function maskIn(picture: Png): number[] | undefined {
  const { width, height, samples } = picture
  const isSet = sampleTest(picture)
  const channels = samples.length / (width * height)
  const bits = new Uint8Array(width * height)
  for (let at = 0; at < samples.length; at += 1)
    if (isSet(samples[at] ?? 0)) bits[Math.floor(at / channels)] = 1
  return bitmapToCrop({ left: 0, top: 0, width, height, bits })
}

/**
 * Returns a test for non-zero samples; indexes are tested by their colour and, if the image has any, their
 * transparency.
 */
function sampleTest({ palette, alphas }: Png): (sample: number) => boolean {
  if (!palette) return (sample) => sample !== 0
  const isSet = palette.map((color, index) => color !== 0 || (alphas ? alphas[index] !== 0 : false))
  return (sample) => isSet[sample] === true
}
