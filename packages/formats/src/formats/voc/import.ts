/** Imports Pascal VOC, one image at a time: boxes from documents, masks from images, then tags from lists. */
import type { RandomAccess } from '../../archive/source.ts'
import { createIntake, createShape, type ImportIntake } from '../../importing/intake.ts'
import { createItemComparison, type FileItem } from '../../importing/item-frames.ts'
import { deepestOf } from '../../importing/match-frames.ts'
import {
  createTrackBuilder,
  isRepeated,
  type TrackBuilder,
} from '../../importing/rebuild-tracks.ts'
import type { MapLabel } from '../../masks/label-map.ts'
import { createMaskShapes } from '../../masks/mask-shapes.ts'
import { assumedLabels, readDeclared, readMasks, vocOrigin } from '../../masks/read-masks.ts'
import type { ConversionRun, Imported, ImportTarget } from '../../model/dataset.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { readXmlTree } from '../../xml/tree.ts'
import { openVoc, type VocArchive, type VocItem } from './archive.ts'
import { isVoid, taggedIds, tagLabel } from './lists.ts'
import { customValues, readVocDocument, type VocDocument, type VocObject } from './record.ts'

interface VocImport {
  archive: VocArchive
  /** Labels by colour in images. */
  colored: MapLabel[]
  /** Source of the label names when they are not from the archive. */
  origin: string | undefined
  intake: ImportIntake
  tracks: TrackBuilder
  /** Images by id. */
  found: Map<string, FileItem>
}

export async function* importVoc(
  source: RandomAccess,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  const trees = await openVoc(source, run)
  const comparison = createItemComparison(target, run)
  let understood = 0
  for (const [at, tree] of trees.entries()) {
    const progress = (share: number): void => run.progress((at + share) / trees.length)
    understood += yield* importVocArchive(tree, target, { ...run, progress }, comparison)
  }
  if (understood > 0) return
  const reason = 'no Pascal VOC annotations: no listed picture has a document, masks or tags'
  throw new FormatError(reason)
}

/**
 * Imports an archive and returns the number of recognized documents, images and lines.
 * @param archive Archive with the subsets to read.
 */
export async function* importVocArchive(
  archive: VocArchive,
  target: ImportTarget,
  run: ConversionRun,
  comparison = createItemComparison(target, run),
): AsyncGenerator<Imported, number> {
  const items = archive.subsets.flatMap((subset) => subset.items)
  const intake = createIntake(target, run, deepestOf(items.map(({ id }) => id)), comparison)
  const tracks = createTrackBuilder(intake)
  const declared = await readDeclared(archive)
  const colored = declared ?? assumedLabels(target.labels)
  const origin = declared ? undefined : vocOrigin
  const state: VocImport = { archive, colored, origin, intake, tracks, found: new Map() }
  for (const [index, item] of items.entries()) {
    run.signal.throwIfAborted()
    run.progress(index / items.length)
    yield* importItem(item, state)
  }
  yield* importTags(state)
  intake.check()
  for (const track of tracks.build()) yield* intake.track(track)
  return intake.understood()
}

async function* importItem(item: VocItem, state: VocImport): AsyncGenerator<Imported> {
  const document = await readItem(item, state.archive)
  if (document) state.intake.noteUnderstood()
  const found = matchItem(item, document, state)
  state.found.set(item.id, found)
  for (const object of document?.objects ?? []) yield* importObject(object, found, state)
  yield* importMasks(item, found, state)
}

/** Reads the document of an image, if it has one. */
export async function readItem(
  { document: name }: VocItem,
  { zip }: VocArchive,
): Promise<VocDocument | undefined> {
  const entry = name === undefined ? undefined : zip.files.get(name)
  if (name === undefined || !entry) return undefined
  return readVocDocument(readXmlTree(await zip.bytes(entry), name), name)
}

/** Matches the frame of an image; the name of the document takes precedence over the file name inside it. */
function matchItem(
  { id }: VocItem,
  document: VocDocument | undefined,
  { archive, intake }: VocImport,
): FileItem {
  const filename = document?.filename
  const { paths } = pathsOf(id, archive)
  const about = { name: id, size: document?.size }
  return intake.match({ paths: filename ? [...paths, filename] : paths }, about)
}

/** Returns the possible paths; each of several trees may be a folder of the task. */
const pathsOf = (id: string, { name }: VocArchive) => ({
  paths: name === '' ? [id] : [`${name}/${id}`, id],
})

function* importObject(
  object: VocObject,
  found: FileItem,
  { intake, tracks }: VocImport,
): Generator<Imported> {
  const { points, flags, location } = object
  const frame = intake.frameFor(found, location)
  const label = frame && intake.labelFor(object.label, location)
  if (!label) return
  if (object.hasParts) intake.skip('dropped-shape-type', 'boxes of parts are not read', location)
  if (object.hasPolygon)
    intake.skip('dropped-shape-type', 'a polygon beside a box is not read', location)
  const [left = 0, top = 0, right = 0, bottom = 0] = points
  if (left >= right || top >= bottom) {
    intake.skip('degenerate-shape', 'the box has no area', location)
    return
  }
  const score = intake.scoreFor(flags.score, location)
  const source = intake.sourceFor(flags.source, location)
  const { track, outside, ...placed } = { ...flags, score, source }
  const attributes = intake.valuesFor(label, customValues(object, label), location)
  const rest = { ...placed, outside: track ? outside : false, attributes }
  const shape = createShape({
    type: 'rectangle',
    frame: frame.frame,
    label_id: label.id,
    points,
    ...rest,
  })
  const key = `${track?.id} of '${label.name}'`
  if (!track || isRepeated(track, key, { frame, location, tracks }, intake))
    yield* intake.shape(shape)
  else tracks.add(key, label, shape, track.isKeyframe, location)
}

// ---- masks

async function* importMasks(
  item: VocItem,
  found: FileItem,
  { archive, colored, origin, intake }: VocImport,
): AsyncGenerator<Imported> {
  const file = archive.classes.get(item.id) ?? archive.objects.get(item.id)
  if (file === undefined) return
  intake.noteUnderstood()
  const location = { file }
  // For an image without a frame it only matters whether it has any mask.
  if (found.frame && !intake.frameFor(found, location)) return
  for (const { label: name, isBackground, crop } of await readMasks(
    archive,
    item.id,
    colored,
    found.frame,
    (reason, where) => intake.skip('degenerate-shape', reason, where),
  )) {
    if (isBackground && !intake.target.labels.some((label) => label.name === name)) continue
    const frame = intake.frameFor(found, location)
    const label = frame && intake.labelFor(name, location, origin)
    if (label) yield* createMaskShapes(crop(), { frame: frame.frame, label }, intake, location)
  }
}

// ---- tags

/** Yields the tags of the images that were read. */
async function* importTags({ archive, intake, found }: VocImport): AsyncGenerator<Imported> {
  const { labels } = intake.target
  const seen = new Set<string>()
  for (const list of archive.tagLists) {
    const named = tagLabel(list, labels)
    if (isVoid(named, labels)) continue
    for await (const { id: listed, line } of taggedIds(archive.zip, list)) {
      const id = archive.idOf(listed)
      const item = found.get(id)
      if (!item || seen.has(`${named}\n${id}`)) continue
      seen.add(`${named}\n${id}`)
      const location: ErrorLocation = { file: list.file, record: id, line }
      const frame = intake.frameFor(item, location)
      const label = frame && intake.labelFor(named, location)
      if (label)
        yield* intake.tag({ frame: frame.frame, label_id: label.id, group: 0, attributes: [] })
    }
  }
}
