import { beforeAll, describe, expect, test } from 'vitest'
import { type AnyJson, type ApiClient, createApiClient } from '../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../support/factories.ts'
import { basic, type ServerUnderTest, shareReticle } from '../support/reticle.ts'

/**
 * After a change of labels was answered, every read and write that starts later uses the new labels. Run it with
 * `RETICLE_TEST_TRIES=1000` to find rare failures, and with `RETICLE_TEST_OBJECTS=20000` for large sets.
 */
const tries = Number(process.env.RETICLE_TEST_TRIES ?? 45)
const objects = Number(process.env.RETICLE_TEST_OBJECTS ?? 200)

let reticle: ServerUnderTest
let admin: ApiClient
let dialect: ApiClient
beforeAll(async () => {
  reticle = await shareReticle()
  admin = reticle.admin
  dialect = createApiClient(`${reticle.url}/as/cvat/api`, basic)
})

/** A task in one of two projects, both of which have the label `car`; all its objects have that label. */
interface World {
  task_id: number
  job_id: number
  project_id: number
  other_id: number
}

const labelIds = async (project_id: number): Promise<Record<string, number>> => {
  const { results } = await admin.done('GET', `/labels?project_id=${project_id}&page_size=100`)
  return Object.fromEntries(results.map((one: AnyJson) => [one.name, one.id]))
}

async function makeWorld(): Promise<World> {
  const addProject = () =>
    admin.done('POST', '/projects', { json: { name: 'p', labels: [{ name: 'car' }] } })
  const [project, other] = [await addProject(), await addProject()]
  const { id: task_id } = await taskWithMedia(admin, { project_id: project.id })
  const [job] = await jobsOf(admin, task_id)
  const { car = 0 } = await labelIds(project.id)
  const keyframe = { type: 'rectangle', points: [5, 5, 20, 20] }
  const shapes = Array.from({ length: objects - 2 }, (_, n) => rectangle(car, n % 4))
  const tracks = [{ label_id: car, frame: 0, shapes: [{ ...keyframe, frame: 0 }] }]
  const tags = [{ label_id: car, frame: 1 }]
  await admin.done('PUT', `/tasks/${task_id}/annotations/`, { json: { tags, shapes, tracks } })
  return { task_id, job_id: job.id, project_id: project.id, other_id: other.id }
}

const move = async (api: ApiClient, world: World) => {
  const [from, to] = [world.project_id, world.other_id]
  await api.done('PATCH', `/tasks/${world.task_id}`, { json: { project_id: to } })
  Object.assign(world, { project_id: to, other_id: from })
}

const addLabel = async (project_id: number, name: string): Promise<number> => {
  const json = { labels: [{ name }] }
  await admin.done('PATCH', `/projects/${project_id}`, { json })
  return (await labelIds(project_id))[name] ?? 0
}

/** Gives the task objects of a label that is about to be deleted. */
const annotate = (task_id: number, label: number) => {
  const json = { shapes: [rectangle(label, 0), rectangle(label, 3)], tags: [], tracks: [] }
  return admin.done('PATCH', `/tasks/${task_id}/annotations/?action=create`, { json })
}

/** Changes of labels by each possible call. Afterwards all objects have the label `car` of the project. */
const changes: Record<string, (world: World, name: string) => Promise<void>> = {
  'a move': (world) => move(admin, world),
  'a move on the mount of the dialect': (world) => move(dialect, world),
  'a deletion by PATCH of the project': async ({ project_id, task_id }, name) => {
    const id = await addLabel(project_id, name)
    await annotate(task_id, id)
    const json = { labels: [{ id, deleted: true }] }
    await admin.done('PATCH', `/projects/${project_id}`, { json })
  },
  'DELETE of a label': async ({ project_id, task_id }, name) => {
    const id = await addLabel(project_id, name)
    await annotate(task_id, id)
    await admin.done('DELETE', `/labels/${id}`)
  },
  'a move, and DELETE of a label right behind it': async (world, name) => {
    const [from, to] = [
      await addLabel(world.project_id, name),
      await addLabel(world.other_id, name),
    ]
    await annotate(world.task_id, from)
    await move(admin, world)
    await admin.done('DELETE', `/labels/${to}`)
    await admin.done('DELETE', `/labels/${from}`)
  },
}

/** The label of each object in an annotation set. */
const labelsIn = ({ tags, shapes, tracks }: AnyJson): number[] =>
  [...tags, ...shapes, ...tracks].map((one) => one.label_id)

async function exported({ task_id }: World, format: string): Promise<number> {
  const query = `format=${encodeURIComponent(format)}&save_images=false`
  const started = await admin.done('POST', `/tasks/${task_id}/dataset/export?${query}`)
  const { report } = await admin.finished(started)
  const { tags, shapes, tracks } = report.created
  return tags + shapes + tracks
}

/** Readers and writers. Each returns the label of every object, or the number of objects. */
const readers: Record<string, (world: World) => Promise<number[] | number>> = {
  'GET of the task': async ({ task_id }) =>
    labelsIn(await admin.done('GET', `/tasks/${task_id}/annotations/`)),
  'GET of the job': async ({ job_id }) =>
    labelsIn(await admin.done('GET', `/jobs/${job_id}/annotations/`)),
  'GET on the mount of the dialect': async ({ task_id }) =>
    labelsIn(await dialect.done('GET', `/tasks/${task_id}/annotations/`)),
  interpolate: async ({ task_id }) =>
    labelsIn(await admin.done('GET', `/tasks/${task_id}/annotations/?interpolate=true`)),
  statistics: async ({ task_id }) => {
    const found = await admin.done('GET', `/tasks/${task_id}/annotations/statistics`)
    return found.labels.reduce((sum: number, { label_id: _, name, ...counts }: AnyJson) => {
      const own = Object.values<number>(counts).reduce((all, one) => all + one, 0)
      return name === 'car' ? sum + own : sum
    }, 0)
  },
  'an export': (world) => exported(world, 'Service 1.1'),
  PUT: async ({ job_id }) => {
    const set = await admin.done('GET', `/jobs/${job_id}/annotations/`)
    const json = { tags: set.tags, shapes: set.shapes, tracks: set.tracks }
    return labelsIn(await admin.done('PUT', `/jobs/${job_id}/annotations/`, { json }))
  },
  'PATCH of what was read before': async ({ job_id, project_id }) => {
    const { car } = await labelIds(project_id)
    const { shapes } = await admin.done('GET', `/jobs/${job_id}/annotations/?frames=0`)
    const json = { shapes: [{ ...shapes[0], label_id: car, z_order: 1 }], tags: [], tracks: [] }
    await admin.done('PATCH', `/jobs/${job_id}/annotations/?action=update`, { json })
    return labelsIn(await admin.done('GET', `/jobs/${job_id}/annotations/`))
  },
  history: async ({ job_id }) => {
    const { results } = await admin.done('GET', `/jobs/${job_id}/annotations/revisions`)
    const newest = results[0].revision
    return labelsIn(await admin.done('GET', `/jobs/${job_id}/annotations/revisions/${newest}`))
  },
}

describe('a call that starts after the answer to a change of labels', () => {
  test(
    'it sees the change in every try',
    async () => {
      const world = await makeWorld()
      const stale: unknown[] = []
      const [ways, looks] = [Object.entries(changes), Object.entries(readers)]
      for (let at = 0; at < tries; at++) {
        const [way, change] = ways[at % ways.length] ?? []
        const [look, read] = looks[Math.floor(at / ways.length) % looks.length] ?? []
        await change?.(world, `l${at}`)
        const found = await read?.(world)
        const { car } = await labelIds(world.project_id)
        const count = typeof found === 'number' ? found : found?.filter((one) => one === car).length
        const all = typeof found === 'number' ? found : found?.length
        if (count !== objects || all !== objects) stale.push({ at, way, look, count, all })
      }
      expect(stale).toEqual([])
    },
    Math.max(120_000, tries * (2000 + objects)),
  )
})
