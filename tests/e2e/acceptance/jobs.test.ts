import { addPerson } from '@reticle/standalone/administrator'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf, taskWithMedia } from '../../support/factories.ts'
import { createImage, createImages, formOf } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Splitting tasks into jobs, and changes of jobs. */

const splitter = {
  username: 'splitter',
  password: 'a-password-of-splitter',
  email: 'splitter@example.org',
  role: 'user' as const,
}
let reticle: ServerUnderTest
let api: ApiClient
beforeAll(async () => {
  reticle = await shareReticle()
  await addPerson(await reticle.people(), splitter)
  const basic = Buffer.from(`${splitter.username}:${splitter.password}`).toString('base64')
  api = createApiClient(`${reticle.url}/api`, `Basic ${basic}`)
})

const post = (route: string, json: unknown) => api.call('POST', route, { json })
const patch = (route: string, json: unknown) => api.call('PATCH', route, { json })

describe('splitting a task into jobs', () => {
  const ranges = async (id: number) =>
    (await jobsOf(api, id)).map((one) => `${one.start_frame}-${one.stop_frame}`).join(' ')
  const attached = async (json: AnyJson, size: number, fields: Record<string, string> = {}) => {
    const { id } = await api.done('POST', '/tasks', { json: { name: 't', ...json } })
    const form = formOf(await createImages(size, 4, 4), fields)
    const started = await api.done('POST', `/tasks/${id}/data`, { form })
    return { id, ended: await api.ended(started.rq_id) }
  }

  test.each([
    [10, 0, null, 10, 0, '0-9'],
    [10, 5, null, 5, 0, '0-4 5-9'],
    [10, 5, 2, 5, 2, '0-4 3-7 6-9'],
    [10, 4, 3, 4, 2, '0-3 2-5 4-7 6-9'],
    [7, 3, 0, 3, 0, '0-2 3-5 6-6'],
  ])(
    '%i frames in segments of %i with overlap %s',
    async (size, segment_size, overlap, used, shared, jobs) => {
      const { id } = await attached({ segment_size, overlap }, size)
      expect(await ranges(id)).toBe(jobs)
      const task = await api.done('GET', `/tasks/${id}`)
      expect(task).toMatchObject({ size, segment_size: used, overlap: shared })
    },
  )

  test('a mapping of files to jobs sets the order of the frames and drops unlisted files', async () => {
    const files = (...numbers: number[]) => numbers.map((one) => `frame-00${one}.png`)
    const mapping = JSON.stringify([files(4, 1), files(3), files(6, 5)])
    const { id } = await attached({}, 6, { job_file_mapping: mapping })
    expect(await ranges(id)).toBe('0-1 2-2 3-4')
    const { frames } = await api.done('GET', `/tasks/${id}/data/meta`)
    expect(frames.map((one: AnyJson) => one.name)).toEqual(files(4, 1, 3, 6, 5))
    const task = await api.done('GET', `/tasks/${id}`)
    expect(task).toMatchObject({ size: 5, segment_size: 0, overlap: 0, jobs: { count: 3 } })
    const [first] = await jobsOf(api, id)
    const found = await api.done('GET', '/frames?search=frame-004&task_id='.concat(String(id)))
    expect(found.results).toEqual([
      { task_id: id, job_ids: [first.id], frame: 0, name: 'frame-004.png' },
    ])
  })

  test.each([
    ['[["nosuch.png"]]', {}, /no image called 'nosuch.png' was sent/],
    ['[["frame-001.png"]]', { segment_size: 1 }, /cannot be used with segment_size/],
  ])(
    'the invalid mapping %s fails and leaves the task without media',
    async (mapping, json, text) => {
      const { id, ended } = await attached(json, 2, { job_file_mapping: mapping })
      expect([ended.status, ended.message]).toEqual(['failed', expect.stringMatching(text)])
      expect(await api.done('GET', `/tasks/${id}`)).toMatchObject({ status: 'new', size: 0 })
    },
  )

  test('the number of jobs can be requested', async () => {
    const { id } = await attached({}, 10, { job_count: '3' })
    expect(await ranges(id)).toBe('0-3 4-7 8-9')
    expect(await api.done('GET', `/tasks/${id}`)).toMatchObject({ segment_size: 4, overlap: 0 })
  })

  test('every job gets the requested number of consensus replicas', async () => {
    const { id } = await attached({ segment_size: 2, consensus_replicas: 2 }, 4)
    const jobs = await jobsOf(api, id)
    expect(jobs.map((one) => one.type)).toEqual([
      ...['annotation', 'annotation', ...Array(4).fill('consensus_replica')],
    ])
    expect(jobs[0]).toMatchObject({ replicas_count: 2, consensus_replicas: 2, parent_job_id: null })
    expect(jobs[5].parent_job_id).toBe(jobs[1].id)
    expect((await post('/tasks', { name: 't', consensus_replicas: 1 })).status).toBe(400)
    expect((await post('/tasks', { name: 't', consensus_replicas: 12 })).status).toBe(400)
  })

  test('splitting into 5,001 jobs fails, and the message states the allowed number', async () => {
    const { bytes } = await createImage('tiny', 2, 2)
    const files = Array.from({ length: 1667 }, (_, index) => ({ name: `${index}.png`, bytes }))
    const json = { name: 't', segment_size: 1, consensus_replicas: 2 }
    const { id } = await api.done('POST', '/tasks', { json })
    const { rq_id } = await api.done('POST', `/tasks/${id}/data`, { form: formOf(files) })
    const { status, message } = await api.ended(rq_id)
    expect([status, message]).toEqual([
      'failed',
      expect.stringContaining('would have 5001 jobs, at most 5000 are allowed'),
    ])
    expect((await api.done('GET', `/tasks/${id}`)).jobs.count).toBe(0)
  }, 120_000)
})

describe('jobs', () => {
  test('a job moved to another stage gets the state new, and its status follows the stage', async () => {
    const task = await taskWithMedia(api)
    const [{ id }] = await jobsOf(api, task.id)
    const moved = async (json: AnyJson) => {
      const { stage, state, status } = await api.done('PATCH', `/jobs/${id}`, { json })
      return [stage, state, status]
    }
    expect(await moved({ state: 'completed' })).toEqual(['annotation', 'completed', 'annotation'])
    expect(await moved({ stage: 'validation' })).toEqual(['validation', 'new', 'validation'])
    expect(await moved({ stage: 'acceptance', state: 'rejected' })).toEqual([
      ...['acceptance', 'rejected', 'validation'],
    ])
    expect(await moved({ state: 'completed' })).toEqual(['acceptance', 'completed', 'completed'])
    expect(await moved({ stage: 'annotation' })).toEqual(['annotation', 'new', 'annotation'])
    const { status, body } = await patch(`/jobs/${id}`, { status: 'completed' })
    expect([status, body]).toEqual([400, { status: ['This field cannot be updated.'] }])
  })

  test('a job shows its assignee and the date of the assignment', async () => {
    const task = await taskWithMedia(api)
    const [job] = await jobsOf(api, task.id)
    expect([job.assignee, job.assignee_updated_date]).toEqual([null, null])
    const self = await api.done('GET', '/users/self')
    const given = await api.done('PATCH', `/jobs/${job.id}`, { json: { assignee: self.id } })
    expect([given.assignee.username, typeof given.assignee_updated_date]).toEqual([
      ...[splitter.username, 'string'],
    ])
    const taken = await api.done('PATCH', `/jobs/${job.id}`, { json: { assignee_id: null } })
    expect(taken.assignee).toBeNull()
    expect(taken.assignee_updated_date >= given.assignee_updated_date).toBe(true)
  })

  test('a task can have one ground truth job, with frames chosen in one of three ways', async () => {
    const task = await taskWithMedia(api, { files: await createImages(12, 4, 4), segment_size: 4 })
    const truth = (json: AnyJson) =>
      post('/jobs', { type: 'ground_truth', task_id: task.id, ...json })
    const framesOf = async (json: AnyJson) => {
      const made = await truth(json)
      if (made.status !== 201) throw new Error(made.text)
      const again = await truth(json)
      expect(again.status).toBe(400)
      const { validation_frames } = await api.done('GET', `/tasks/${task.id}/validation_layout`)
      expect(made.body).toMatchObject({ start_frame: 0, stop_frame: 11, type: 'ground_truth' })
      expect(made.body.frame_count).toBe(validation_frames.length)
      const counted = await api.done(
        'GET',
        `/jobs?filter=${encodeURIComponent(
          JSON.stringify({
            and: [
              { '==': [{ var: 'task_id' }, task.id] },
              { '==': [{ var: 'frame_count' }, validation_frames.length] },
              { '==': [{ var: 'type' }, 'ground_truth'] },
            ],
          }),
        )}`,
      )
      expect(counted.count).toBe(1)
      await api.done('DELETE', `/jobs/${made.body.id}`)
      return validation_frames
    }
    const manual = { frame_selection_method: 'manual', frames: [7, 2] }
    expect(await framesOf(manual)).toEqual([2, 7])
    const uniform = { frame_selection_method: 'random_uniform', frame_share: 0.25, random_seed: 5 }
    const drawn = await framesOf(uniform)
    expect(drawn).toHaveLength(3)
    expect(await framesOf(uniform)).toEqual(drawn)
    const perJob = {
      ...{ frame_selection_method: 'random_per_job', frames_per_job_count: 2, random_seed: 5 },
    }
    const each = await framesOf(perJob)
    expect(each.map((frame: number) => Math.floor(frame / 4))).toEqual([0, 0, 1, 1, 2, 2])
    expect(await framesOf(perJob)).toEqual(each)
    for (const wrong of [
      { frame_selection_method: 'random_uniform', frame_count: 13 },
      { frame_selection_method: 'manual', frames: [12] },
      { frame_selection_method: 'manual', frames: [1], frame_count: 1 },
      { frame_selection_method: 'sometimes' },
    ])
      expect((await truth(wrong)).status).toBe(400)
    const other = { type: 'annotation', frame_selection_method: 'manual', frames: [1] }
    expect((await post('/jobs', { ...other, task_id: task.id })).status).toBe(400)
  })

  test('jobs other than ground truth jobs cannot be deleted', async () => {
    const task = await taskWithMedia(api)
    const [job] = await jobsOf(api, task.id)
    const { status, body } = await api.call('DELETE', `/jobs/${job.id}`)
    expect([status, body]).toEqual([400, ['Only ground truth jobs can be removed']])
  })
})
