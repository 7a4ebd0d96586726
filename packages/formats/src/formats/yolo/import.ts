/** Imports YOLO 1.1, one text of boxes at a time. */
import type { RandomAccess } from '../../archive/source.ts'
import { pixelBox } from '../../image/relative-box.ts'
import { createIntake, type ImportIntake } from '../../importing/intake.ts'
import { deepestOf } from '../../importing/match-frames.ts'
import type {
  ConversionRun,
  DatasetLabel,
  Imported,
  ImportTarget,
  TargetFrame,
} from '../../model/dataset.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { assertNear } from '../../text/numbers.ts'
import { boxFilesOf } from './box-files.ts'
import { readBoxes, type YoloBox } from './boxes.ts'
import { openYoloSet } from './open.ts'
import type { YoloSet } from './set.ts'

export async function* importYolo(
  source: RandomAccess,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  const set = await openYoloSet(source, run)
  const understood = yield* importYoloSet(set, target, run)
  if (understood === 0) throw notUnderstood(set)
}

/**
 * Creates the error for an archive without recognized content. Texts without boxes count only for images of the task,
 * because any other archive may contain texts.
 */
function notUnderstood({ subsets }: YoloSet): FormatError {
  const items = subsets.flatMap((subset) => subset.items)
  const text = items.find(({ boxes }) => boxes !== undefined)
  if (text) {
    const reason = 'no YOLO annotations: no text has boxes or belongs to a picture of this task'
    return new FormatError(reason, { file: text.boxes })
  }
  const count = `${items.length} ${items.length === 1 ? 'picture is' : 'pictures are'} listed`
  const [first] = items
  const expected = first ? `, expected ${boxFilesOf(first.id)[0]} and the like` : ''
  return new FormatError(`no YOLO annotations: ${count} without a text of boxes${expected}`)
}

/** Imports an archive and returns the number of recognized texts. */
export async function* importYoloSet(
  set: YoloSet,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported, number> {
  const items = set.subsets.flatMap((subset) => subset.items)
  const intake = createIntake(target, run, deepestOf(items.map(({ paths: [path = ''] }) => path)))
  const classes = classesOf(set, intake)
  for (const [index, item] of items.entries()) {
    run.signal.throwIfAborted()
    const boxes = await readBoxes(item, set)
    if (!boxes) intake.skip('ignored-file', 'it has no boxes', { file: item.boxes })
    const found = intake.match(item, { name: item.id })
    if (boxes && found.frame && item.boxes !== undefined) intake.noteUnderstood()
    for (const box of boxes ?? []) {
      const name = classes.nameOf(box.number, box.location)
      const frame = intake.frameFor(found, box.location)
      const label = frame && intake.labelFor(name, box.location)
      if (frame && label) yield* imported(box, frame, label, intake)
    }
    run.progress((index + 1) / items.length)
  }
  noteMissingTexts(set, intake)
  intake.check()
  return intake.understood()
}

/**
 * Reports lists without any text of boxes: single images without objects need none, but if all are missing, they may
 * have been forgotten.
 */
function noteMissingTexts({ subsets }: YoloSet, { skip }: ImportIntake): void {
  const reason = 'no listed picture has a text of boxes in the archive'
  for (const { name: record, items } of subsets)
    if (items.length > 0 && items.every(({ boxes }) => boxes === undefined))
      skip('ignored-file', reason, { record })
}

function* imported(
  { location, share, score }: YoloBox,
  { frame, ...size }: TargetFrame,
  label: DatasetLabel,
  intake: ImportIntake,
): Generator<Imported> {
  const points = pixelBox(share, size)
  assertNear(points, location)
  if (share[2] > 0 && share[3] > 0)
    yield* intake.shape({ type: 'rectangle', frame, label_id: label.id, points, score })
  else intake.skip('degenerate-shape', 'the box has no area', location)
}

// ---- classes

interface Classes {
  /**
   * Returns the name of a class.
   * @throws {FormatError} for a number without a class
   */
  nameOf(number: number, location: ErrorLocation): string
}

function classesOf({ names }: YoloSet, { target, note }: ImportIntake): Classes {
  const labels = target.labels.toSorted((a, b) => a.id - b.id)
  const byNumber = names?.byNumber ?? new Map(labels.map(({ name }, index) => [index, name]))
  const owner = names?.file ?? 'there is no obj.names or classes.txt, and the task'
  if (!names) {
    const reason = 'there is no obj.names: classes are the labels of the task in their order'
    note('converted', 'unlabelled', reason, {})
  }
  return {
    nameOf(number, location) {
      const name = byNumber.get(number)
      if (name !== undefined) return name
      const labels = `${byNumber.size} label${byNumber.size === 1 ? '' : 's'}`
      throw new FormatError(`${owner} has ${labels}, id ${number} used`, location)
    },
  }
}
