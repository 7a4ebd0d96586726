/** Imports KITTI, boxes and masks of one image at a time. */
import type { RandomAccess } from '../../archive/source.ts'
import { hasCrowd } from '../../importing/flags.ts'
import { createIntake, type ImportIntake } from '../../importing/intake.ts'
import { deepestOf } from '../../importing/match-frames.ts'
import { createMaskShapes } from '../../masks/mask-shapes.ts'
import type { ConversionRun, Imported, ImportTarget, TargetFrame } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { isAnnotated, type KittiArchive, type KittiItem, openKitti } from './archive.ts'
import { assumedClasses, type Classes, writtenName } from './label-colors.ts'
import { type KittiMask, readKittiMasks } from './masks.ts'
import { dontCare, type KittiObject, readObjects } from './objects.ts'

export async function* importKitti(
  source: RandomAccess,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  const archive = await openKitti(source, run)
  const understood = yield* importKittiArchive(archive, target, run)
  // An export without objects contains only the file of labels.
  if (understood > 0 || archive.declared) return
  const reason = 'no KITTI annotations: no text has objects or belongs to a picture of this task'
  throw new FormatError(reason, { file: archive.subsets[0]?.items[0]?.label_2 })
}

interface KittiImport {
  archive: KittiArchive
  classes: Classes
  intake: ImportIntake
  /** Label names of the task by their spelling in files. */
  names: ReadonlyMap<string, string>
}

/** Imports an archive and returns the number of recognized texts and images. */
export async function* importKittiArchive(
  archive: KittiArchive,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported, number> {
  const { declared } = archive
  const items = archive.subsets.flatMap((subset) => subset.items)
  const intake = createIntake(target, run, deepestOf(items.map(({ paths }) => paths.at(-1) ?? '')))
  const classes: Classes = declared
    ? { byIndex: declared, byColor: declared }
    : assumedClasses(target.labels)
  const own = target.labels.map(({ name }) => name)
  const written = own.map((name): [string, string] => [writtenName(name), name])
  const names = new Map([
    ...written.toReversed(),
    ...own.map((name): [string, string] => [name, name]),
  ])
  for (const [index, item] of items.entries()) {
    run.signal.throwIfAborted()
    run.progress(index / items.length)
    yield* importItem(item, { archive, classes, intake, names })
  }
  if (items.length > 0 && !items.some(isAnnotated))
    intake.skip('ignored-file', 'no picture has a file of boxes or masks in the archive', {})
  intake.check()
  return intake.understood()
}

async function* importItem(item: KittiItem, state: KittiImport): AsyncGenerator<Imported> {
  const { archive, classes, intake, names } = state
  const [name = ''] = item.paths
  const matched = intake.match({ paths: item.paths }, { name })
  if (matched.frame && item.label_2 !== undefined) intake.noteUnderstood()
  const takes = (label: string) => names.has(label)
  for await (const object of readObjects(archive.zip, item.label_2 ?? '')) {
    intake.noteUnderstood()
    if (object.type === dontCare && !takes(dontCare)) continue
    const frame = intake.frameFor(matched, object.location)
    if (frame) yield* importObject(object, frame, state)
  }
  for (const mask of await readKittiMasks(archive.zip, item, classes, matched.frame)) {
    intake.noteUnderstood()
    if (mask.isBackground && !takes(mask.label)) continue
    const frame = intake.frameFor(matched, mask.location)
    if (frame) yield* importMask(mask, frame, state)
  }
}

function* importObject(
  { type, truncated, occluded, points, score, location }: KittiObject,
  { frame }: TargetFrame,
  { intake, names }: KittiImport,
): Generator<Imported> {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points
  if (x2 <= x1 || y2 <= y1) return intake.skip('degenerate-shape', 'the box has no area', location)
  const label = intake.labelFor(names.get(type) ?? type, location)
  if (!label) return
  const spec = label.attributes.find((one) => one.name === 'truncated')
  const value = spec?.input_type === 'number' ? truncated : truncated > 0
  const given: [string, unknown][] = spec || truncated > 0 ? [['truncated', value]] : []
  const attributes = intake.valuesFor(label, given, location)
  const rest = {
    points,
    occluded,
    attributes,
    label_id: label.id,
    score: intake.scoreFor(score, location),
  }
  yield* intake.shape({ type: 'rectangle', frame, ...rest })
}

function* importMask(
  { label: name, isCrowd, crop, location }: KittiMask,
  { frame }: TargetFrame,
  { classes, intake, names }: KittiImport,
): Generator<Imported> {
  const label = intake.labelFor(names.get(name) ?? name, location, classes.origin)
  if (!label) return
  const attributes = hasCrowd(label)
    ? intake.valuesFor(label, [['is_crowd', isCrowd]], location)
    : []
  yield* createMaskShapes(crop(), { frame, label, attributes }, intake, location)
}
