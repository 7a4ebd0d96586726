import { addPerson } from '@reticle/standalone/administrator'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Projects, labels and tasks. Jobs are tested in `jobs.test.ts`. */

const people = ['founder', 'stranger'].map((username) => ({
  username,
  password: `a-password-of-${username}`,
  email: `${username}@example.org`,
  role: 'user' as const,
}))
let reticle: ServerUnderTest
let api: ApiClient
let stranger: ApiClient
beforeAll(async () => {
  reticle = await shareReticle()
  const as = async (person: (typeof people)[number] | undefined) => {
    if (!person) throw new Error('a user is missing')
    await addPerson(await reticle.people(), person)
    const basic = Buffer.from(`${person.username}:${person.password}`).toString('base64')
    return createApiClient(`${reticle.url}/api`, `Basic ${basic}`)
  }
  api = await as(people[0])
  stranger = await as(people[1])
})

const post = (route: string, json: unknown) => api.call('POST', route, { json })
const patch = (route: string, json: unknown) => api.call('PATCH', route, { json })

/** Scope and field of the events of a project or task in the event log. */
async function logged(query: string): Promise<string[]> {
  const { result_url } = await api.finished(await api.done('POST', `/events/export?${query}`))
  const { bytes } = await api.bytes(result_url)
  const [, ...lines] = bytes.toString().trimEnd().split('\n')
  return lines.map((line) => line.split(',').slice(0, 2).join(' ').trim())
}

describe('projects', () => {
  test('the name of a project has at most 256 characters', async () => {
    expect((await post('/projects', { name: 'x'.repeat(256) })).status).toBe(201)
    const { status, body } = await post('/projects', { name: 'x'.repeat(257) })
    expect([status, Object.keys(body)]).toEqual([400, ['name']])
    expect((await post('/projects', { name: ' ' })).status).toBe(400)
  })

  test('a project can change from any status to any other', async () => {
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

  test('unknown fields and an invalid bug tracker link are refused', async () => {
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

  test('an empty PATCH returns the unchanged project to its staff, and is refused to others', async () => {
    const made = await api.done('POST', '/projects', { json: { name: 'p' } })
    expect(await api.done('PATCH', `/projects/${made.id}`, { json: {} })).toEqual(made)
    const refused = await stranger.call('PATCH', `/projects/${made.id}`, { json: {} })
    expect(refused.status).toBe(403)
  })

  test('storages are merged by a PATCH, and cannot be removed', async () => {
    const source_storage = { location: 'local' }
    const json = { name: 'p', source_storage }
    const { id, source_storage: made } = await api.done('POST', '/projects', { json })
    expect(made).toEqual({ id: expect.any(Number), location: 'local', cloud_storage_id: null })
    for (const wrong of [null, { cloud_storage_id: 1 }, { location: 'cloud_storage' }])
      expect((await patch(`/projects/${id}`, { source_storage: wrong })).status).toBe(400)
    expect((await api.done('GET', `/projects/${id}`)).source_storage).toEqual(made)
  })

  test('deleting a project deletes its objects, with events for the project, its tasks and jobs', async () => {
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
        const loggedEvents = (await logged(`project_id=${project.id}`)).filter((one) =>
          one.startsWith('delete:'),
        )
        expect(loggedEvents.sort()).toEqual([
          ...['delete:job', 'delete:job', 'delete:project', 'delete:task'],
        ])
      },
      { timeout: 60_000, interval: 200 },
    )
  })

  test('a project without images has no preview, and it lists the subsets of its tasks', async () => {
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

describe('labels', () => {
  const project = (labels: AnyJson[]) =>
    api.done('POST', '/projects', { json: { name: 'labelled', labels } })
  const relabel = (id: number, labels: AnyJson[]) => patch(`/projects/${id}`, { labels })

  test('labels without a colour get distinct colours, which are always the same', async () => {
    const names = [{ name: 'car' }, { name: 'Car' }, { name: 'person' }]
    const colors = (await project(names)).labels.map((one: AnyJson) => one.color)
    expect(new Set(colors).size).toBe(3)
    for (const color of colors) expect(color).toMatch(/^#[0-9a-f]{6}$/)
    expect((await project(names)).labels.map((one: AnyJson) => one.color)).toEqual(colors)
    const upper = await project([{ name: 'car', color: '#ABCDEF' }])
    expect(upper.labels[0].color).toBe('#abcdef')
    expect(
      (await post('/projects', { name: 'p', labels: [{ name: 'a', color: 'red' }] })).status,
    ).toBe(400)
  })

  test('labels can swap names in one PATCH, but two cannot have the same name', async () => {
    const { id, labels } = await project([{ name: 'a' }, { name: 'b' }])
    const swapped = labels.map(({ id }: AnyJson, index: number) => ({ id, name: 'ba'[index] }))
    const after = await relabel(id, swapped)
    expect(after.body.labels.map((one: AnyJson) => one.name)).toEqual(['b', 'a'])
    const twice = await relabel(id, [{ name: 'a' }])
    expect([twice.status, twice.body]).toEqual([400, ['All label names must be unique']])
  })

  test('a label of another project is not found, and nothing of the PATCH is applied', async () => {
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

  test('deleting a label deletes its annotations and updates the dates of tasks and jobs', async () => {
    const made = await project([{ name: 'car' }, { name: 'person' }])
    const task = await taskWithMedia(api, { project_id: made.id })
    const [job] = await jobsOf(api, task.id)
    const annotations = `/jobs/${job.id}/annotations/`
    const shapes = made.labels.map((one: AnyJson) => rectangle(one.id))
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
        expect(left.map((one: AnyJson) => one.label_id)).toEqual([made.labels[1].id])
      },
      { timeout: 60_000, interval: 100 },
    )
  })

  test('default values must fit the type of an attribute, and options can only be added', async () => {
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
    const change = (changes: AnyJson) =>
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

  test('the drawing of a skeleton keeps only references to its sublabels by id', async () => {
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

  test('labels of a task in a project are those of the project, and are changed there', async () => {
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

  test('a project has at most 10,000 labels and 512 KiB of them', async () => {
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

describe('tasks', () => {
  test('the status of a task follows its jobs, with one event for each change', async () => {
    const { id } = await api.done('POST', '/tasks', { json: { name: 'a task' } })
    const status = async () => (await api.done('GET', `/tasks/${id}`)).status
    expect(await status()).toBe('new')
    const made = await taskWithMedia(api, { segment_size: 2 })
    expect(made.status).toBe('annotation')
    const jobs = await jobsOf(api, made.id)
    const of = async () => (await api.done('GET', `/tasks/${made.id}`)).status
    const seen: string[] = []
    const all = async (json: AnyJson) => {
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
        const loggedEvents = await logged(`task_id=${made.id}`)
        expect(loggedEvents.filter((one) => one === 'update:task status')).toHaveLength(4)
      },
      { timeout: 60_000, interval: 200 },
    )
  })

  test('a task cannot leave its project by PATCH, and read-only fields are refused', async () => {
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
