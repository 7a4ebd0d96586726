import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { jobCreate } from './jobs.ts'
import { validationParams } from './validation.ts'

/** Keys of each frame selection method. */

const job = { type: 'ground_truth', task_id: 12 }
const uniform = { ...job, frame_selection_method: 'random_uniform' }
const perJob = { ...job, frame_selection_method: 'random_per_job' }
const manual = { ...job, frame_selection_method: 'manual' }

test.each([
  { ...uniform, frame_count: 3 },
  { ...uniform, frame_share: 0, random_seed: 0 },
  { ...uniform, frame_count: null, frame_share: 1, frames_per_job_count: null },
  { ...perJob, frames_per_job_count: 1, random_seed: 2_147_483_647 },
  { ...perJob, frames_per_job_share: 0.5 },
  { ...manual, frames: [3, 0], assignee: 4 },
])('%j is accepted', (given) => {
  expect(jobCreate.parse(given)).toEqual(given)
})

describe('a job of ground truth that is rejected at its key', () => {
  const unused = expect.stringContaining('of no use with the frame selection method')
  test.each([
    ['no method', job, { frame_selection_method: [expect.any(String)] }],
    ['an unknown method', { ...job, frame_selection_method: 'best' }, 'frame_selection_method'],
    ['another type of job', { ...manual, frames: [1], type: 'annotation' }, 'type'],
    ['no task', { ...manual, frames: [1], task_id: undefined }, 'task_id'],
    ['no amount', uniform, { frame_count: ['Give frame_count or frame_share, one of the two.'] }],
    ['two amounts', { ...uniform, frame_count: 1, frame_share: 1 }, 'frame_count'],
    ['a count of none', { ...uniform, frame_count: 0 }, 'frame_count'],
    ['a share above all', { ...uniform, frame_share: 1.1 }, 'frame_share'],
    ['a share below none', { ...uniform, frame_share: -0.1 }, 'frame_share'],
    ['no amount per job', perJob, 'frames_per_job_count'],
    ['a negative seed', { ...uniform, frame_count: 1, random_seed: -1 }, 'random_seed'],
    ['no frames', manual, { frames: ['This field is required.'] }],
    ['an empty list', { ...manual, frames: [] }, { frames: ['At least one frame is needed.'] }],
    ['a frame twice', { ...manual, frames: [3, 1, 3] }, 'frames'],
    ['frames to draw', { ...uniform, frame_count: 1, frames: [1] }, { frames: [unused] }],
    [
      'a seed without a draw',
      { ...manual, frames: [1], random_seed: 1 },
      { random_seed: [unused] },
    ],
    [
      'a count beside one per job',
      { ...perJob, frames_per_job_count: 1, frame_count: 1 },
      'frame_count',
    ],
    [
      'a share per job beside one of all',
      { ...uniform, frame_share: 1, frames_per_job_share: 1 },
      'frames_per_job_share',
    ],
  ])('%s', (_, given, complaint) => {
    const { error } = jobCreate.safeParse(given)
    const errors = error ? z.flattenError(error).fieldErrors : {}
    const wanted = typeof complaint === 'string' ? { [complaint]: [expect.any(String)] } : complaint
    expect(errors).toEqual(wanted)
  })
})

describe('validation_params', () => {
  const asked = { mode: 'gt', frame_selection_method: 'manual', frames: ['a.jpg', 'b.jpg'] }

  test.each([[asked], [JSON.stringify(asked)]])(
    'validation_params are accepted as an object or as JSON: %j',
    (given) => {
      expect(validationParams.parse(given)).toEqual(asked)
    },
  )

  test.each([
    ['text', 'no json'],
    ['no mode', { ...asked, mode: undefined }],
    ['another mode', { ...asked, mode: 'best' }],
    ['no frames', { ...asked, frames: [] }],
    ['a draw without an amount', { mode: 'gt', frame_selection_method: 'random_uniform' }],
  ])('validation_params with %s are rejected', (_, given) => {
    expect(validationParams.safeParse(given).success).toBe(false)
  })

  test('keys of honeypots are accepted, because the service rejects honeypots as a whole', () => {
    const given = { ...asked, mode: 'gt_pool', frames_per_job_count: 2 }
    expect(validationParams.parse(given)).toEqual(given)
  })
})
