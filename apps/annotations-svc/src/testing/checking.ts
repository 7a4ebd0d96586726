import type { RowKind } from '@reticle/contracts/row-lines'
import { attributeOf } from '@reticle/contracts/testing/records'
import { DomainError } from '@reticle/kit'
import { openChecker, readNew } from '../bodies/check.ts'
import { readConfig } from '../config.ts'
import { indexLabels } from '../validation/labels.ts'
import { exampleLabels, neighboursOf, newWorkspace, user } from './workspace.ts'

/** Valid objects, for tests that spoil one member of them. */
export const joint = { type: 'points', frame: 2, label_id: 42, points: [1, 2] }
export const skeleton = { type: 'skeleton', frame: 2, label_id: 41, elements: [joint] }
export const keyframe = { type: 'rectangle', frame: 0, points: [0, 0, 1, 1] }
export const track = { frame: 0, label_id: 40, shapes: [keyframe] }
export const value = (spec_id: number, given: unknown) => ({ spec_id, value: given })

/** Texts that are expected more than once. */
export const integer = 'A valid integer is required.'
export const required = 'This field is required.'
export const outside = 'frame 5 is outside of 0 to 4'

/** The example labels, the car with a number of doors beside its other attributes. */
const labels = exampleLabels()
labels[0]?.attributes.push(
  attributeOf({
    ...{ id: 93, name: 'doors', input_type: 'number' },
    ...{ values: ['2', '5', '1'], default_value: '0' },
  }),
)

/** What becomes of objects that are sent to a job of frames 0 to 4, or the error. */
export async function check(kind: RowKind, items: unknown[], strictAttributes = true) {
  const workspace = newWorkspace(12)
  const target = {
    ...{ kind: 'job' as const, id: 121, task_id: 12, project_id: null, organization_id: null },
    jobs: workspace.jobs.slice(0, 1),
    frames: [],
    dimension: '2d',
    labels_revision: 1,
    label_events: [],
  }
  const settings = { ...readConfig({}), strictAttributes }
  const deps = { services: neighboursOf([workspace]), settings }
  const index = indexLabels({ labels_revision: 1, labels })
  const checker = openChecker(deps, target, index, user())
  const checked = await checker.check({ kind, items, first: 0 }, readNew)
  return checked.map((one) => one.object)
}

/** Code and body of the refusal, or nothing. */
export async function refusal(kind: RowKind, items: unknown[]) {
  try {
    await check(kind, items)
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof DomainError)) throw thrown
    return { code: thrown.code, body: thrown.body }
  }
}
