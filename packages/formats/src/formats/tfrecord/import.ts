/** Imports TFRecord files, one record at a time. */

import { bitmapToCrop, orderCorners } from '@reticle/geometry'
import type { RandomAccess } from '../../archive/source.ts'
import { createIntake, type ImportIntake, type NewShape, shareOf } from '../../importing/intake.ts'
import { createItemComparison } from '../../importing/item-frames.ts'
import { deepestOf } from '../../importing/match-frames.ts'
import type { RasterSize } from '../../masks/instances.ts'
import { pixelValues, readMaskPicture } from '../../masks/picture.ts'
import type { ConversionRun, Imported, ImportTarget, TargetFrame } from '../../model/dataset.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { assertFewNumbers } from '../../text/numbers.ts'
import { findTfFiles, type TfFile } from './files.ts'
import { readPicture, type TfObject, type TfPicture } from './picture.ts'

export async function* importTfRecords(
  source: RandomAccess,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  yield* importTfFiles(await findTfFiles(source, run), target, run)
}

export async function* importTfFiles(
  files: readonly TfFile[],
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  const needed = neededBefore(files, target)
  const onBytes = bytesCounter(files, needed ? 2 : 1, run)
  const { deepest, names } = needed ? await survey(files, onBytes) : nothingBefore
  const intake = createIntake(target, run, deepest, createItemComparison(target, run, files.length))
  for (const file of files)
    for await (const record of file.records(onBytes))
      for await (const shape of shapesIn(
        readPicture(record),
        record.location,
        file.labels ?? names,
        intake,
      ))
        yield* intake.shape(shape)
  intake.check()
}

async function* shapesIn(
  { name, objects, isClassified, size }: TfPicture,
  location: ErrorLocation,
  labels: ReadonlyMap<number, string>,
  intake: ImportIntake,
): AsyncGenerator<NewShape> {
  const matched = intake.match({ paths: [name] }, { name: name || (location.record ?? ''), size })
  if (isClassified)
    intake.skip('dropped-attribute', 'classes of whole pictures are not read', location)
  for (const object of objects) {
    const frame = intake.frameFor(matched, object.location)
    const label = frame && intake.labelFor(nameOf(object, labels), object.location)
    const geometry = frame && label && (await geometryOf(object, frame, intake))
    if (geometry) yield { ...geometry, frame: frame.frame, label_id: label.id }
  }
}

// ---- information needed before the first record

interface Known {
  /** The path with the most parts (`createFrameMatcher`). */
  deepest: string
  /** Labels by id, from objects that have both. */
  names: ReadonlyMap<number, string>
}

const nothingBefore: Known = { deepest: '', names: new Map() }

/**
 * Returns whether a first pass is needed: not for frames without folders, which are matched by name alone, together
 * with label maps, which contain all ids.
 */
const neededBefore = (files: readonly TfFile[], { frames }: ImportTarget): boolean =>
  files.some(({ labels }) => !labels) || frames.frames.some(({ path }) => path.includes('/'))

async function survey(files: readonly TfFile[], onBytes: (bytes: number) => void): Promise<Known> {
  let deepest = ''
  const names = new Map<number, string>()
  for (const file of files)
    for await (const record of file.records(onBytes)) {
      const { name, objects } = readPicture(record)
      deepest = deepestOf([deepest, name])
      for (const { id, text } of objects)
        if (id !== undefined && text !== '' && !names.has(id)) names.set(id, text)
    }
  return { deepest, names }
}

function bytesCounter(files: readonly TfFile[], passes: number, run: ConversionRun) {
  const total = passes * files.reduce((sum, { size }) => sum + size, 0)
  let done = 0
  return (bytes: number): void => {
    run.signal.throwIfAborted()
    done += bytes
    run.progress(shareOf(done, total))
  }
}

// ---- objects

/** Returns the label name; empty for an unlabelled object. */
export const nameOf = ({ text, id }: TfObject, labels: ReadonlyMap<number, string>): string =>
  text || (id === undefined ? '' : (labels.get(id) ?? ''))

/** Returns the mask, or else the box; undefined when the object is skipped. */
async function geometryOf(object: TfObject, frame: TargetFrame, intake: ImportIntake) {
  if (!object.mask) return boxOf(object, frame, intake)
  const points = await maskPoints(object.mask, frame, object.location)
  if (points) {
    assertFewNumbers(points, object.location)
    return { type: 'mask', points } as const
  }
  intake.skip('degenerate-shape', 'the mask has no pixel', object.location)
  return undefined
}

/** Relative boxes do not end this far outside the image, so a larger box must be in pixels. */
const mostShare = 10

function boxOf({ box, location }: TfObject, { width, height }: TargetFrame, intake: ImportIntake) {
  if (!box?.every(Number.isFinite)) throw new FormatError('the box is no four numbers', location)
  if (Math.max(box[0], box[2]) > mostShare && Math.max(box[1], box[3]) > mostShare)
    throw new FormatError(
      'the box looks like one in pixels, expected shares of the image from 0 to 1',
      location,
    )
  const [left, top, right, bottom] = orderCorners(box).map((share) =>
    Math.min(1, Math.max(0, share)),
  )
  const points = [left, top, right, bottom].map(
    (share, at) => (share ?? 0) * (at % 2 === 0 ? width : height),
  )
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points
  if (x2 <= x1 || y2 <= y1) {
    intake.skip('degenerate-shape', 'the box has no area within the image', location)
    return undefined
  }
  if (box.some((share) => share < 0 || share > 1))
    intake.note('converted', 'clipped', 'the box is cut to the image', location)
  return { type: 'rectangle', points } as const
}

/**
 * Returns the points of a mask from a PNG, whose pixels other than black belong to the object. Undefined when all
 * pixels are black.
 * @throws {FormatError} when the bytes are not a PNG, or have another size than the frame
 */
async function maskPoints(
  bytes: Uint8Array,
  frame: RasterSize,
  location: ErrorLocation,
): Promise<number[] | undefined> {
  const png = await readMaskPicture(bytes, frame, location)
  const valueAt = pixelValues(png)
  const { width, height } = png
  const bits = new Uint8Array(width * height)
  for (let at = 0; at < bits.length; at += 1) bits[at] = valueAt(at) === 0 ? 0 : 1
  return bitmapToCrop({ left: 0, top: 0, width, height, bits })
}
