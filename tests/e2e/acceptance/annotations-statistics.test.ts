import { beforeAll, describe, expect, test } from 'vitest'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf, rectangle } from '../../support/factories.ts'
import { createUserFactory } from '../../support/people.ts'
import { createImages, formOf } from '../../support/pictures.ts'
import { useTestServer } from '../../support/test-server.ts'

/** Statistics of annotations. See docs/spec/annotations.md#statistics. */

const reticle = useTestServer()
const { as, newPerson } = createUserFactory(() => reticle)
let api: ApiClient
let project: AnyJson
let labels: AnyJson[]
const tasks: AnyJson[] = []

beforeAll(async () => {
  api = reticle.admin
  const json = { name: 'p', labels: [{ name: 'car' }, { name: 'bus' }] }
  project = await api.done('POST', '/projects', { json })
  labels = (await api.done('GET', `/labels?project_id=${project.id}&sort=id`)).results
  for (const overlap of [0, 2]) {
    const task = await api.done('POST', '/tasks', {
      json: { name: 't', project_id: project.id, segment_size: 5, overlap },
    })
    const sent = { form: formOf(await createImages(10)) }
    await api.finished(await api.done('POST', `/tasks/${task.id}/data`, sent))
    tasks.push(task)
  }
})

const getStatistics = (target: string, query = '', headers = {}) =>
  api.call('GET', `${target}/annotations/statistics${query}`, { headers })
const taskOf = (index: number) => `/tasks/${tasks[index].id}`

const { label_id: _, ...keyframe } = rectangle(0)
const track = (label_id: number, ...frames: AnyJson[]) => ({
  ...{ label_id, frame: frames[0]?.[0], source: 'auto' },
  shapes: frames.map(([frame, outside]) => ({ ...keyframe, frame, outside })),
})

const none = {
  ...{ rectangle: 0, polygon: 0, polyline: 0, points: 0 },
  ...{ ellipse: 0, cuboid: 0, mask: 0, skeleton: 0 },
}

describe('statistics of annotations', () => {
  test('statistics count the objects of a task, its job and its project', async () => {
    const [car, bus] = labels
    const json = {
      tags: [{ frame: 9, label_id: car.id }],
      shapes: [
        rectangle(car.id, 4),
        rectangle(bus.id, 4),
        { ...rectangle(bus.id, 7), source: 'file' },
      ],
      tracks: [track(car.id, [1, false], [3, true])],
    }
    await api.done('PUT', `${taskOf(0)}/annotations`, { json })
    const { status, body, headers } = await getStatistics(taskOf(0))
    expect([status, headers.get('etag')]).toEqual([200, expect.stringMatching(/^".+"$/)])
    expect(body).toEqual({
      frames: { total: 10, annotated: 5, deleted: 0 },
      objects: { tags: 1, shapes: 3, tracks: 1, track_keyframes: 2 },
      labels: [
        { label_id: car.id, name: 'car', tags: 1, ...none, rectangle: 1, tracks: 1 },
        { label_id: bus.id, name: 'bus', tags: 0, ...none, rectangle: 2, tracks: 0 },
      ],
      sources: { manual: 3, auto: 1, 'semi-auto': 0, file: 1, consensus: 0 },
      updated_date: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const [job] = await jobsOf(api, tasks[0].id)
    expect((await getStatistics(`/jobs/${job.id}`)).body).toMatchObject({
      frames: { total: 5, annotated: 3, deleted: 0 },
      objects: { tags: 0, shapes: 2, tracks: 1, track_keyframes: 2 },
    })

    // Frame 4 belongs to two jobs of the other task.
    await api.done('PUT', `${taskOf(1)}/annotations`, { json: { shapes: [rectangle(car.id, 4)] } })
    expect((await getStatistics(taskOf(1))).body.objects.shapes).toBe(1)
    expect((await getStatistics(`/projects/${project.id}`)).body).toMatchObject({
      frames: { total: 20, annotated: 6, deleted: 0 },
      objects: { tags: 1, shapes: 4, tracks: 1 },
      labels: [{ rectangle: 2 }, { rectangle: 2 }],
    })
  })

  test('a conditional read is answered 304 while nothing changed', async () => {
    const targets = [taskOf(0), `/projects/${project.id}`]
    const getAllStatistics = () => Promise.all(targets.map((target) => getStatistics(target)))
    const tagsOf = async () =>
      (await getAllStatistics()).map(({ headers }) => headers.get('etag') ?? '')
    const changed = async (change: () => Promise<unknown>) => {
      const before = await tagsOf()
      const same = targets.map((target, at) =>
        getStatistics(target, '', { 'if-none-match': before[at] }),
      )
      for (const answer of await Promise.all(same)) expect(answer.status).toBe(304)
      await change()
      const other = targets.map((target, at) =>
        getStatistics(target, '', { 'if-none-match': before[at] }),
      )
      const answers = await Promise.all(other)
      expect(answers.map((one) => one.status)).toEqual([200, 200])
      return answers.map((one) => one.body)
    }
    const [task] = await changed(() =>
      api.done('PATCH', `${taskOf(0)}/data/meta`, { json: { deleted_frames: [2, 4] } }),
    )
    expect(task.frames).toEqual({ total: 10, annotated: 3, deleted: 2 })
    const [, named] = await changed(() =>
      api.done('PATCH', `/labels/${labels[0].id}`, { json: { name: 'coach' } }),
    )
    expect(named.labels[0].name).toBe('coach')
    const tags = [{ frame: 0, label_id: labels[1].id }]
    await changed(() =>
      api.done('PATCH', `${taskOf(0)}/annotations?action=create`, { json: { tags } }),
    )
  })

  test('with authors=true statistics list the changes per user and the date since which they are counted', async () => {
    const { body, headers } = await getStatistics(taskOf(1), '?authors=true')
    const { id, username, first_name, last_name } = await api.done('GET', '/users/self')
    const user = { url: `${reticle.url}/api/users/${id}`, id, username, first_name, last_name }
    expect(body.authors).toEqual([{ user, created: 2, updated: 0, deleted: 0 }]) // frame 4 belongs to two jobs
    const { results } = await api.done('GET', `${taskOf(1)}/annotations/revisions`)
    const dates = results.map((one: AnyJson) => one.created_date)
    expect(body.authors_since).toBe(dates.sort()[0])
    const known = { 'if-none-match': headers.get('etag') }
    expect((await getStatistics(taskOf(1), '?authors=true', known)).status).toBe(304)
    expect((await getStatistics(taskOf(1), '', known)).status).toBe(200)
  })

  test('with labels=false statistics contain no labels', async () => {
    const { body } = await getStatistics(taskOf(0), '?labels=false')
    expect(Object.keys(body).sort()).toEqual(['frames', 'objects', 'sources', 'updated_date'])
    expect((await getStatistics(taskOf(0), '?labels=maybe')).status).toBe(400)
  })

  test('only users who may view the target can read statistics', async () => {
    const { api: other } = await newPerson()
    const anonymous = as()
    for (const target of [taskOf(0), `/projects/${project.id}`]) {
      const route = `${target}/annotations/statistics`
      expect((await other.call('GET', route)).status).toBe(403)
      expect((await anonymous.call('GET', route)).status).toBe(401)
    }
    expect((await getStatistics('/jobs/99999')).status).toBe(404)
  })

  test('statistics of a project without tasks are zero', async () => {
    const json = { name: 'empty', labels: [{ name: 'car' }] }
    const { id } = await api.done('POST', '/projects', { json })
    expect((await getStatistics(`/projects/${id}`)).body).toMatchObject({
      frames: { total: 0, annotated: 0, deleted: 0 },
      labels: [{ name: 'car', tags: 0 }],
      updated_date: null,
    })
  })
})
