import { addPerson } from '@reticle/standalone/administrator'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Client, client, type Json } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { formOf, picture, pictures } from '../../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'

/** Items 13 to 16 and 19 of the acceptance checklist (`spec/api-workspace.md` 11): projects, labels, tasks and jobs. */

const people = ['founder', 'stranger'].map((username) => ({
  username,
  password: `a-password-of-${username}`,
  email: `${username}@example.org`,
  role: 'user' as const,
}))
const { path, remove } = dataDirectory()
let reticle: Reticle
let api: Client
let stranger: Client
beforeAll(async () => {
  reticle = await startReticle(path)
  const as = async (person: (typeof people)[number] | undefined) => {
    if (!person) throw new Error('nobody is missing')
    await addPerson(await reticle.people(), person)
    const basic = Buffer.from(`${person.username}:${person.password}`).toString('base64')
    return client(`${reticle.url}/api`, `Basic ${basic}`)
  }
  api = await as(people[0])
  stranger = await as(people[1])
})
afterAll(async () => {
  await reticle.stop()
  remove()
})

const post = (route: string, json: unknown) => api.call('POST', route, { json })
const patch = (route: string, json: unknown) => api.call('PATCH', route, { json })

/** Events of a project or task so far, as the log of events has them: scope and field. */
async function logged(query: string): Promise<string[]> {
  const { result_url } = await api.finished(await api.done('POST', `/events/export?${query}`))
  const { bytes } = await api.bytes(result_url)
  const [, ...lines] = bytes.toString().trimEnd().split('\n')
  return lines.map((line) => line.split(',').slice(0, 2).join(' ').trim())
}

describe('13. a project', () => {
  test('13. has a name of 256 characters at most', async () => {
    expect((await post('/projects', { name: 'x'.repeat(256) })).status).toBe(201)
    const { status, body } = await post('/projects', { name: 'x'.repeat(257) })
    expect([status, Object.keys(body)]).toEqual([400, ['name']])
    expect((await post('/projects', { name: ' ' })).status).toBe(400)
  })

  test('13. goes from any status to any other', async () => {
    const { id } = await api.done('POST', '/projects', { json: { name: 'p' } })
    const words = ['annotation', 'validation', 'completed']
    for (const from of words)
      for (const to of words) {
        await api.done('PATCH', `/projects/${id}`, { json: { status: from } })
        expect((await api.done('PATCH', `/projects/${id}`, { json: { status: to } })).status).toBe(
          to,
        )
      }
    expect((await patch(`/projects/${id}`, { status: 'new' })).status).toBe(400)
  })

  test('13. has no other keys than its own, and no link that is none', async () => {
    const { id } = await api.done('POST', '/projects', { json: { name: 'p' } })
    const answer = await patch(`/projects/${id}`, { colour: 'red' })
    expect([answer.status, answer.body, answer.headers.get('x-error-code')]).toEqual([
      400,
      { colour: ['This field cannot be updated.'] },
      'unknown_field',
    ])
    for (const bug_tracker of ['tracker', 'javascript:alert(1)'])
      expect((await patch(`/projects/${id}`, { bug_tracker })).status).toBe(400)
  })

  test('13. an empty patch answers staff, changes nothing, and is refused to others', async () => {
    const made = await api.done('POST', '/projects', { json: { name: 'p' } })
    expect(await api.done('PATCH', `/projects/${made.id}`, { json: {} })).toEqual(made)
    const refused = await stranger.call('PATCH', `/projects/${made.id}`, { json: {} })
    expect(refused.status).toBe(403)
  })

  test('13. merges storages, and takes none of them away', async () => {
    const source_storage = { location: 'local' }
    const json = { name: 'p', source_storage }
    const { id, source_storage: made } = await api.done('POST', '/projects', { json })
    expect(made).toEqual({ id: expect.any(Number), location: 'local', cloud_storage_id: null })
    for (const wrong of [null, { cloud_storage_id: 1 }, { location: 'cloud_storage' }])
      expect((await patch(`/projects/${id}`, { source_storage: wrong })).status).toBe(400)
    expect((await api.done('GET', `/projects/${id}`)).source_storage).toEqual(made)
  })

  test('13. takes everything below along, and tells of each', async () => {
    const labels = [{ name: 'car' }]
    const project = await api.done('POST', '/projects', { json: { name: 'p', labels } })
    const task = await taskWithMedia(api, { project_id: project.id, segment_size: 2 })
    const [job] = await jobsOf(api, task.id)
    const shapes = [rectangle(project.labels[0].id)]
    await api.done('PUT', `/jobs/${job.id}/annotations/`, { json: { shapes } })
    const pinned = { job: job.id, frame: 0, position: [1, 2, 3, 4], message: 'look' }
    const issue = await api.done('POST', '/issues', { json: pinned })
    await api.done('DELETE', `/projects/${project.id}`)
    for (const route of [
      ...[`/projects/${project.id}`, `/tasks/${task.id}`, `/jobs/${job.id}`],
      ...[
        `/issues/${issue.id}`,
        `/tasks/${task.id}/annotations/`,
        `/labels/${project.labels[0].id}`,
      ],
    ])
      expect((await api.call('GET', route)).status, route).toBe(404)
    await vi.waitFor(
      async () => {
        const told = (await logged(`project_id=${project.id}`)).filter((one) =>
          one.startsWith('delete:'),
        )
        expect(told.sort()).toEqual([
          ...['delete:job', 'delete:job', 'delete:project', 'delete:task'],
        ])
      },
      { timeout: 20_000, interval: 200 },
    )
  })

  test('13. has no picture without a task, and shows what its tasks have in common', async () => {
    const { id } = await api.done('POST', '/projects', { json: { name: 'p' } })
    expect((await api.call('GET', `/projects/${id}/preview`)).status).toBe(404)
    for (const subset of ['train', 'test', '', 'train'])
      await api.done('POST', '/tasks', { json: { name: 't', project_id: id, subset } })
    expect(await api.done('GET', `/projects/${id}`)).toMatchObject({
      ...{ task_subsets: ['test', 'train'], dimension: '2d', guide_id: null },
      tasks: { count: 4, url: `${reticle.url}/api/tasks?project_id=${id}` },
    })
    const guide = await api.done('POST', '/guides', { json: { project_id: id } })
    expect((await api.done('GET', `/projects/${id}`)).guide_id).toBe(guide.id)
  })
})

describe('14. labels', () => {
  const project = (labels: Json[]) =>
    api.done('POST', '/projects', { json: { name: 'labelled', labels } })
  const relabel = (id: number, labels: Json[]) => patch(`/projects/${id}`, { labels })

  test('14. without a colour get distinct ones, the same each time', async () => {
    const names = [{ name: 'car' }, { name: 'Car' }, { name: 'person' }]
    const colors = (await project(names)).labels.map((one: Json) => one.color)
    expect(new Set(colors).size).toBe(3)
    for (const color of colors) expect(color).toMatch(/^#[0-9a-f]{6}$/)
    expect((await project(names)).labels.map((one: Json) => one.color)).toEqual(colors)
    const upper = await project([{ name: 'car', color: '#ABCDEF' }])
    expect(upper.labels[0].color).toBe('#abcdef')
    expect(
      (await post('/projects', { name: 'p', labels: [{ name: 'a', color: 'red' }] })).status,
    ).toBe(400)
  })

  test('14. swap their names in one patch, and may not share one', async () => {
    const { id, labels } = await project([{ name: 'a' }, { name: 'b' }])
    const swapped = labels.map(({ id }: Json, index: number) => ({ id, name: 'ba'[index] }))
    const after = await relabel(id, swapped)
    expect(after.body.labels.map((one: Json) => one.name)).toEqual(['b', 'a'])
    const twice = await relabel(id, [{ name: 'a' }])
    expect([twice.status, twice.body]).toEqual([400, ['All label names must be unique']])
  })

  test('14. of another project are not found, and nothing of the patch is done', async () => {
    const [one, other] = [await project([{ name: 'a' }]), await project([{ name: 'b' }])]
    const foreign = other.labels[0].id
    const answer = await relabel(one.id, [{ name: 'new' }, { id: foreign, name: 'c' }])
    expect([answer.status, answer.body.detail]).toEqual([
      404,
      `Not found label with id #${foreign} to change`,
    ])
    expect(await api.done('GET', `/projects/${one.id}`)).toEqual(one)
    expect((await relabel(one.id, [{ deleted: true, name: 'a' }])).status).toBe(400)
  })

  test('14. that go take their annotations along, and move the dates of tasks and jobs', async () => {
    const made = await project([{ name: 'car' }, { name: 'person' }])
    const task = await taskWithMedia(api, { project_id: made.id })
    const [job] = await jobsOf(api, task.id)
    const annotations = `/jobs/${job.id}/annotations/`
    const shapes = made.labels.map((one: Json) => rectangle(one.id))
    await api.done('PUT', annotations, { json: { shapes } })
    const dates = async () => [
      (await api.done('GET', `/projects/${made.id}`)).updated_date,
      (await api.done('GET', `/tasks/${task.id}`)).updated_date,
      (await api.done('GET', `/jobs/${job.id}`)).updated_date,
    ]
    const before = await dates()
    await api.done('DELETE', `/labels/${made.labels[0].id}`)
    const after = await dates()
    expect(after.map((date, index) => date > before[index])).toEqual([true, true, true])
    await vi.waitFor(
      async () => {
        const left = (await api.done('GET', annotations)).shapes
        expect(left.map((one: Json) => one.label_id)).toEqual([made.labels[1].id])
      },
      { timeout: 20_000, interval: 100 },
    )
  })

  test('14. have attributes whose values fit their type, and options that only grow', async () => {
    const attribute = {
      name: 'color',
      mutable: true,
      input_type: 'select',
      values: ['red', 'blue'],
    }
    const made = await project([{ name: 'car', attributes: [attribute] }])
    const [label] = made.labels
    const [known] = label.attributes
    expect(known).toEqual({ id: expect.any(Number), ...attribute, default_value: 'red' })
    const change = (changes: Json) =>
      relabel(made.id, [{ id: label.id, attributes: [{ id: known.id, ...changes }] }])
    expect((await change({ values: ['red'] })).status).toBe(400)
    expect((await change({ input_type: 'radio' })).status).toBe(400)
    expect((await change({ mutable: false })).status).toBe(400)
    expect((await change({ id: 999_999_999, name: 'x' })).status).toBe(404)
    expect((await change({ values: ['red', 'blue', 'green'], name: 'paint' })).status).toBe(200)
    expect((await change({ deleted: true })).body.labels[0].attributes).toEqual([])
    const wrong = [
      { ...attribute, values: [] },
      { ...attribute, values: ['red', 'red'] },
      { ...attribute, default_value: 'green' },
      { ...attribute, input_type: 'number', values: ['1', '0', '1'] },
    ]
    for (const one of wrong) {
      const { status, body } = await relabel(made.id, [{ name: 'x', attributes: [one] }])
      expect([status, Object.keys(body)]).toEqual([400, ['labels']])
    }
  })

  test('14. that are skeletons have drawings that name their sublabels by id, and nothing else', async () => {
    const circle = (name: string) =>
      `<circle r="1.5" cx="40" cy="20" data-type="element node" data-label-name="${name}" onclick="alert(1)"></circle>`
    const svg = `${circle('head')}<script>alert(1)</script><image href="http://x/"/>`
    const sublabels = [{ name: 'head', type: 'points' }]
    const made = await project([{ name: 'person', type: 'skeleton', svg, sublabels }])
    const [label] = made.labels
    const [head] = label.sublabels
    expect(head).toMatchObject({ name: 'head', type: 'points', has_parent: true })
    expect(label.svg).toBe(
      `<circle r="1.5" cx="40" cy="20" data-type="element node" data-label-id="${head.id}"></circle>`,
    )
    const direct = await patch(`/labels/${head.id}`, { name: 'nose' })
    expect(direct.status).toBe(400)
    expect((await api.call('DELETE', `/labels/${head.id}`)).status).toBe(400)
    expect((await relabel(made.id, [{ id: label.id, type: 'any' }])).status).toBe(400)
    expect((await patch(`/labels/${label.id}`, { deleted: true })).status).toBe(400)
    const listed = await api.done('GET', `/labels?project_id=${made.id}`)
    expect(listed).toMatchObject({ count: 1, results: [{ id: label.id, project_id: made.id }] })
  })

  test('14. of a task in a project are those of the project, and changed there', async () => {
    const made = await project([{ name: 'car' }])
    const refused = ['Labels of a task in a project are managed in the project']
    const labels = [{ name: 'own' }]
    const created = await post('/tasks', { name: 't', project_id: made.id, labels })
    expect([created.status, created.body]).toEqual([400, refused])
    const task = await api.done('POST', '/tasks', { json: { name: 't', project_id: made.id } })
    expect(task.labels).toEqual(made.labels)
    const changed = await patch(`/tasks/${task.id}`, { labels })
    expect([changed.status, changed.body]).toEqual([400, refused])
    const two = await api.call('GET', `/labels?project_id=${made.id}&task_id=${task.id}`)
    expect(two.status).toBe(400)
    expect((await post('/labels', { name: 'x' })).status).toBe(405)
  })

  test('14. are 10,000 and 512 KiB at most', async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}` }))
    const long = Array.from({ length: 3000 }, (_, index) => ({
      name: `${index}`,
      attributes: [{ ...text, values: ['x'.repeat(150)] }],
    }))
    for (const labels of [many, long]) {
      const { status, body } = await post('/projects', { name: 'p', labels })
      expect([status, Object.keys(body)]).toEqual([400, ['labels']])
    }
  })
  const text = { name: 'a', mutable: true, input_type: 'text' }
})

describe('15. a task', () => {
  test('15. follows its jobs, with one event for each status', async () => {
    const { id } = await api.done('POST', '/tasks', { json: { name: 'a task' } })
    const status = async () => (await api.done('GET', `/tasks/${id}`)).status
    expect(await status()).toBe('new')
    const made = await taskWithMedia(api, { segment_size: 2 })
    expect(made.status).toBe('annotation')
    const jobs = await jobsOf(api, made.id)
    const of = async () => (await api.done('GET', `/tasks/${made.id}`)).status
    const seen: string[] = []
    const all = async (json: Json) => {
      for (const job of jobs) {
        await api.done('PATCH', `/jobs/${job.id}`, { json })
        seen.push(await of())
      }
    }
    await all({ stage: 'validation' })
    await all({ stage: 'acceptance', state: 'completed' })
    await api.done('PATCH', `/jobs/${jobs[0].id}`, { json: { stage: 'annotation' } })
    seen.push(await of())
    expect(seen).toEqual([...['annotation', 'validation', 'validation', 'completed', 'annotation']])
    const { completed, validation, count } = (await api.done('GET', `/tasks/${made.id}`)).jobs
    expect([count, completed, validation]).toEqual([2, 1, 0])
    await vi.waitFor(
      async () => {
        const told = await logged(`task_id=${made.id}`)
        expect(told.filter((one) => one === 'update:task status')).toHaveLength(4)
      },
      { timeout: 20_000, interval: 200 },
    )
  })

  test('15. is not taken out of projects, and has no keys but those that change', async () => {
    const { id } = await api.done('POST', '/tasks', { json: { name: 't' } })
    for (const json of [
      { project_id: null },
      { overlap: 1 },
      { segment_size: 1 },
      { status: 'new' },
    ]) {
      const { status, body } = await patch(`/tasks/${id}`, json)
      expect([status, Object.keys(body)]).toEqual([400, Object.keys(json)])
    }
    expect((await api.call('GET', `/tasks/${id}/preview`)).status).toBe(404)
  })
})

describe('16. splitting', () => {
  const ranges = async (id: number) =>
    (await jobsOf(api, id)).map((one) => `${one.start_frame}-${one.stop_frame}`).join(' ')
  const attached = async (json: Json, size: number, fields: Record<string, string> = {}) => {
    const { id } = await api.done('POST', '/tasks', { json: { name: 't', ...json } })
    const form = formOf(await pictures(size, 4, 4), fields)
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
    '16. %i frames by %i with overlap %s',
    async (size, segment_size, overlap, used, shared, jobs) => {
      const { id } = await attached({ segment_size, overlap }, size)
      expect(await ranges(id)).toBe(jobs)
      const task = await api.done('GET', `/tasks/${id}`)
      expect(task).toMatchObject({ size, segment_size: used, overlap: shared })
    },
  )

  test('16. by a mapping of files to jobs, whose order it takes and whose rest it drops', async () => {
    const files = (...numbers: number[]) => numbers.map((one) => `frame-00${one}.png`)
    const mapping = JSON.stringify([files(4, 1), files(3), files(6, 5)])
    const { id } = await attached({}, 6, { job_file_mapping: mapping })
    expect(await ranges(id)).toBe('0-1 2-2 3-4')
    const { frames } = await api.done('GET', `/tasks/${id}/data/meta`)
    expect(frames.map((one: Json) => one.name)).toEqual(files(4, 1, 3, 6, 5))
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
    '16. the mapping %s does not fit, and leaves the task without media',
    async (mapping, json, text) => {
      const { id, ended } = await attached(json, 2, { job_file_mapping: mapping })
      expect([ended.status, ended.message]).toEqual(['failed', expect.stringMatching(text)])
      expect(await api.done('GET', `/tasks/${id}`)).toMatchObject({ status: 'new', size: 0 })
    },
  )

  test('16. into so many jobs as are wished for', async () => {
    const { id } = await attached({}, 10, { job_count: '3' })
    expect(await ranges(id)).toBe('0-3 4-7 8-9')
    expect(await api.done('GET', `/tasks/${id}`)).toMatchObject({ segment_size: 4, overlap: 0 })
  })

  test('16. with replicas of every job', async () => {
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

  test('16. into 5,001 jobs fails, and says how many are allowed', async () => {
    const { bytes } = await picture('tiny', 2, 2)
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

describe('19. jobs', () => {
  test('19. begin anew in another stage, and their status follows', async () => {
    const task = await taskWithMedia(api)
    const [{ id }] = await jobsOf(api, task.id)
    const moved = async (json: Json) => {
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

  test('19. name who is assigned, and since when', async () => {
    const task = await taskWithMedia(api)
    const [job] = await jobsOf(api, task.id)
    expect([job.assignee, job.assignee_updated_date]).toEqual([null, null])
    const self = await api.done('GET', '/users/self')
    const given = await api.done('PATCH', `/jobs/${job.id}`, { json: { assignee: self.id } })
    expect([given.assignee.username, typeof given.assignee_updated_date]).toEqual([
      ...['founder', 'string'],
    ])
    const taken = await api.done('PATCH', `/jobs/${job.id}`, { json: { assignee_id: null } })
    expect(taken.assignee).toBeNull()
    expect(taken.assignee_updated_date >= given.assignee_updated_date).toBe(true)
  })

  test('19. of ground truth there is one, of frames chosen in three ways', async () => {
    const task = await taskWithMedia(api, { files: await pictures(12, 4, 4), segment_size: 4 })
    const truth = (json: Json) => post('/jobs', { type: 'ground_truth', task_id: task.id, ...json })
    const framesOf = async (json: Json) => {
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

  test('19. that are no ground truth cannot be removed', async () => {
    const task = await taskWithMedia(api)
    const [job] = await jobsOf(api, task.id)
    const { status, body } = await api.call('DELETE', `/jobs/${job.id}`)
    expect([status, body]).toEqual([400, ['Only ground truth jobs can be removed']])
  })
})
