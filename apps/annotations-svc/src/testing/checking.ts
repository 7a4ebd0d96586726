import type { RowKind } from '@reticle/contracts/row-lines'
import { attributeOf } from '@reticle/contracts/testing/records'
import { DomainError } from '@reticle/kit'
import { openChecker, readNew } from '../bodies/check.ts'
import { readConfig } from '../config.ts'
import { indexLabels } from '../validation/labels.ts'
import { createWorkspace, exampleLabels, neighboursOf, user } from './workspace.ts'

/** Valid objects; tests change one member to make them invalid. */
export const joint = { type: 'points', frame: 2, label_id: 42, points: [1, 2] }
export const skeleton = { type: 'skeleton', frame: 2, label_id: 41, elements: [joint] }
export const keyframe = { type: 'rectangle', frame: 0, points: [0, 0, 1, 1] }
export const track = { frame: 0, label_id: 40, shapes: [keyframe] }
export const value = (spec_id: number, given: unknown) => ({ spec_id, value: given })

/** Expected error texts. */
export const integer = 'A valid integer is required.'
export const required = 'This field is required.'
export const outside = 'frame 5 is outside of 0 to 4'

/** Example labels, where the car also has a number attribute for doors. */
const labels = exampleLabels()
labels[0]?.attributes.push(
  attributeOf({
    ...{ id: 93, name: 'doors', input_type: 'number' },
    ...{ values: ['2', '5', '1'], default_value: '0' },
  }),
)

/** Checks objects for a job with frames 0 to 4; returns the stored objects or throws. */
export async function checkObjects(kind: RowKind, items: unknown[], strictAttributes = true) {
  const workspace = createWorkspace(12)
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

/** Returns code and body of the error; undefined if the objects are valid. */
export async function findRefusal(kind: RowKind, items: unknown[]) {
  try {
    await checkObjects(kind, items)
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof DomainError)) throw thrown
    return { code: thrown.code, body: thrown.body }
  }
}
