import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { type CallContext, DomainError } from '@reticle/kit'
import { createPacer } from '@reticle/kit/scheduling/pacer'
import type { Deps } from '../deps.ts'
import type { Checked } from '../reading/objects.ts'
import { type AnnotationTarget, rangeOf } from '../targets/target.ts'
import { type JsonFields, readFields, readId } from '../validation/fields.ts'
import type { LabelIndex } from '../validation/labels.ts'
import { checkMasks, indexSizes, type SizeOf } from '../validation/masks.ts'
import {
  assertClean,
  createValidationReport,
  isFull,
  reportProblem,
  type ValidationReport,
} from '../validation/report.ts'
import { type Rules, readShape, readTag } from '../validation/shapes.ts'
import { readTrack } from '../validation/tracks.ts'
import type { Batch } from './body.ts'

/** Checks the objects of one request, batch by batch. */
export interface Checker {
  rules: Rules
  /** @throws DomainError invalid, aligned by index; too_large beyond the limits of a request */
  check: (batch: Batch, read: ReadObject) => Promise<Checked[]>
}

/** Reads an object from the sent fields and adds problems to the report. */
export type ReadObject = (
  report: ValidationReport,
  kind: RowKind,
  fields: JsonFields,
  rules: Rules,
) => Checked | Promise<Checked>

/** Maximum number of point coordinates in one request. */
export const mostNumbers = 50_000_000

/** Small, because single objects may be large. */
const objectsPerPause = 16

/** Limits of one request. */
export interface ObjectLimits {
  objects: number
  numbers: number
}

/**
 * Creates the checker of one request.
 *
 * @param limits default: the limits of an ordinary request
 */
export function openChecker(
  { services, settings }: Pick<Deps, 'services' | 'settings'>,
  target: AnnotationTarget,
  labels: LabelIndex,
  context: CallContext,
  limits: ObjectLimits = { objects: settings.maxObjects, numbers: mostNumbers },
): Checker {
  const masks: Rules['masks'] = []
  const range = rangeOf(target)
  const pace = createPacer()
  const rules = { labels, range, masks, isStrict: settings.strictAttributes, pace }
  let sizes: Promise<SizeOf> | undefined
  let objects = 0
  let numbers = 0

  const check: Checker['check'] = async (batch, read) => {
    objects += batch.items.length
    assertObjectCount(objects, limits.objects)
    const report = createValidationReport()
    const checked = await readItems(report, batch, rules, read)
    assertClean(report)
    numbers += report.numbers
    if (numbers > limits.numbers) throw tooMany(`${limits.numbers} numbers`)
    if (masks.length > 0) {
      sizes ??= services.media.getFrameSizes({ task_id: target.task_id }, context).then(indexSizes)
      assertClean(checkMasks(masks.splice(0), await sizes))
    }
    return checked
  }
  return { rules, check }
}

/**
 * Reads objects and yields to the event loop in between. Only tracks are read asynchronously, because an await per
 * small object would be slow.
 */
async function readItems(
  report: ValidationReport,
  { kind, items, first }: Batch,
  rules: Rules,
  read: ReadObject,
): Promise<Checked[]> {
  const checked: Checked[] = []
  for (const [index, item] of items.entries()) {
    if (index % objectsPerPause === 0) await rules.pace()
    report.path = [arrayOf[kind], first + index]
    const fields = readFields(report, item)
    const object = fields && read(report, kind, fields, rules)
    if (object) checked.push(object instanceof Promise ? await object : object)
    if (isFull(report)) break
  }
  return checked
}

/**
 * Checks the number of objects against a limit.
 *
 * @throws DomainError too_large
 */
export function assertObjectCount(objects: number, most: number): void {
  if (objects > most) throw tooMany(`${most} objects`)
}

const tooMany = (limit: string) =>
  new DomainError('too_large', `One request may have at most ${limit}.`, {
    code: 'too_many_objects',
  })

/** Reads a new object; a sent id is ignored. */
export const readNew: ReadObject = (report, kind, fields, rules) => {
  readId(report, fields)
  if (kind === 'tag') return { kind, object: readTag(report, fields, rules) }
  return kind === 'shape'
    ? { kind, object: readShape(report, fields, rules) }
    : readTrack(report, fields, rules).then((object) => ({ kind, object }))
}

/** Like `readNew`, but a sent id is an error. */
export const readCreated: ReadObject = (report, kind, fields, rules) => {
  if (readId(report, fields) !== null) reportProblem(report, 'invalid', 'must be absent', 'id')
  return readNew(report, kind, fields, rules)
}
