/** Imports YOLO 1.1 (spec/formats.md 9.2): one text of boxes after the other. */
import type { RandomAccess } from '../archive/source.ts'
import { FormatError, type Place } from '../errors.ts'
import { type Intake, newIntake } from '../intake.ts'
import { deepestOf } from '../match-frames.ts'
import type { Imported, ImportTarget, Label, Run, TargetFrame } from '../model.ts'
import { pixelBox } from '../relative-box.ts'
import { type Box, readBoxes } from './boxes.ts'
import { openYoloSet } from './open.ts'
import type { YoloItem, YoloSet } from './set.ts'

export async function* importYolo(
  source: RandomAccess,
  target: ImportTarget,
  run: Run,
): AsyncGenerator<Imported> {
  yield* importYoloSet(await openYoloSet(source, run), target, run)
}

export async function* importYoloSet(
  set: YoloSet,
  target: ImportTarget,
  run: Run,
): AsyncGenerator<Imported> {
  const items = set.subsets.flatMap((subset) => subset.items)
  const intake = newIntake(target, run, deepestOf(items.map(({ paths: [path = ''] }) => path)))
  const classes = classesOf(set, intake)
  let count = 0
  for (const [index, item] of items.entries()) {
    run.signal.throwIfAborted()
    const boxes = await readBoxes(item, set)
    if (!boxes) intake.skip('ignored-file', 'it has no boxes', { file: item.boxes })
    const found = boxes && boxes.length > 0 ? intake.match(item) : undefined
    count += boxes?.length ?? 0
    for (const box of boxes ?? []) {
      const name = classes.nameOf(box.number, box.place)
      const frame = intake.frameFor(found, item.id, box.place)
      const label = frame && intake.labelFor(name, box.place)
      if (frame && label) yield* imported(box, frame, label, intake)
    }
    run.progress((index + 1) / items.length)
  }
  checkUnderstood(count, set, items)
  intake.check()
}

/** @throws {FormatError} where neither a list nor class names show that texts without boxes are of YOLO */
function checkUnderstood(boxes: number, { names }: YoloSet, items: readonly YoloItem[]): void {
  if (boxes > 0 || names?.byNumber.size || items.some(({ isGuess }) => !isGuess)) return
  throw new FormatError('no YOLO annotations: no text has boxes', { file: items[0]?.boxes })
}

function* imported(
  { place, share, score }: Box,
  { frame, ...size }: TargetFrame,
  label: Label,
  intake: Intake,
): Generator<Imported> {
  const points = pixelBox(share, size)
  if (share[2] > 0 && share[3] > 0)
    yield intake.shape({ type: 'rectangle', frame, label_id: label.id, points, score })
  else intake.skip('degenerate-shape', 'the box has no area', place)
}

// ---- classes

interface Classes {
  /** @throws {FormatError} for a number that no class has */
  nameOf(number: number, place: Place): string
}

function classesOf({ names }: YoloSet, { target, note }: Intake): Classes {
  const labels = target.labels.toSorted((a, b) => a.id - b.id)
  const byNumber = names?.byNumber ?? new Map(labels.map(({ name }, index) => [index, name]))
  const owner = names?.file ?? 'there is no obj.names or classes.txt, and the task'
  if (!names) {
    const reason = 'there is no obj.names: classes are the labels of the task in their order'
    note('converted', 'unlabelled', reason, {})
  }
  return {
    nameOf(number, place) {
      const name = byNumber.get(number)
      if (name !== undefined) return name
      const labels = `${byNumber.size} label${byNumber.size === 1 ? '' : 's'}`
      throw new FormatError(`${owner} has ${labels}, id ${number} used`, place)
    },
  }
}
