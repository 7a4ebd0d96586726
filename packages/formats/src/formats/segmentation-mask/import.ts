/** Imports Segmentation mask, the masks of one image at a time. */
import type { RandomAccess } from '../../archive/source.ts'
import { createIntake, type ImportIntake } from '../../importing/intake.ts'
import { deepestOf } from '../../importing/match-frames.ts'
import type { MapLabel } from '../../masks/label-map.ts'
import { createMaskShapes } from '../../masks/mask-shapes.ts'
import { assumedLabels, readDeclared, readMasks, vocOrigin } from '../../masks/read-masks.ts'
import type { ConversionRun, Imported, ImportTarget } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { type MaskArchive, openMaskArchive } from './archive.ts'

export async function* importSegmentationMask(
  source: RandomAccess,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  const archive = await openMaskArchive(source, run)
  const understood = yield* importMaskArchive(archive, target, run)
  if (understood > 0) return
  throw new FormatError('no segmentation masks: expected SegmentationClass/<image>.png')
}

/** Imports an archive and returns the number of recognized mask images. */
export async function* importMaskArchive(
  archive: MaskArchive,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported, number> {
  const ids = archive.subsets.flatMap((subset) => subset.ids)
  const intake = createIntake(target, run, deepestOf(ids))
  const declared = await readDeclared(archive)
  const labels = declared ?? assumedLabels(target.labels)
  const origin = declared ? undefined : vocOrigin
  for (const [index, id] of ids.entries()) {
    run.signal.throwIfAborted()
    run.progress(index / ids.length)
    yield* importImage(id, { archive, labels, origin, intake })
  }
  if (ids.length > 0 && archive.classes.size === 0)
    intake.skip('ignored-file', 'no listed picture has masks in the archive', {})
  // With a label map and a list it is an export of this format, which may have no masks.
  if (declared && archive.subsets.length > 0 && archive.classes.size === 0) intake.noteUnderstood()
  intake.check()
  return intake.understood()
}

interface MaskImport {
  archive: MaskArchive
  labels: readonly MapLabel[]
  /** Source of the label names when they are not from the archive. */
  origin: string | undefined
  intake: ImportIntake
}

async function* importImage(
  id: string,
  { archive, labels, origin, intake }: MaskImport,
): AsyncGenerator<Imported> {
  const { target } = intake
  const matched = intake.match({ paths: [id] }, { name: id })
  // An export of a task without objects is a list without masks.
  const isOfEmpty = archive.classes.size === 0 && matched.frame !== undefined
  if (archive.classes.has(id) || isOfEmpty) intake.noteUnderstood()
  const isKnown = (name: string) => target.labels.some((label) => label.name === name)
  const all = await readMasks(archive, id, labels, matched.frame, (reason, location) =>
    intake.skip('degenerate-shape', reason, location),
  )
  const masks = all.filter(({ label, isBackground }) => !isBackground || isKnown(label))
  if (masks.length === 0) return
  const location = { file: archive.classes.get(id) }
  const frame = intake.frameFor(matched, location)
  for (const { label: name, crop } of frame ? masks : []) {
    const label = intake.labelFor(name, location, origin)
    if (frame && label)
      yield* createMaskShapes(crop(), { frame: frame.frame, label }, intake, location)
  }
}
