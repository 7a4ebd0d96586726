import {
  jobRecord,
  projectRecord,
  requestRecord,
  taskRecord,
} from '@reticle/contracts/testing/records'
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'

/** Responses below the mount have exactly the fields of the CVAT schema. */

const page = <R>(record: R) => ({ count: 1, results: [record] })
const video = { mode: 'interpolation', data_original_chunk_type: 'imageset' } as const
let task = taskRecord({ revision: 3 })
let job = jobRecord({ revision: 3 })
const project = projectRecord({ revision: 3 })
const format = {
  ...{ name: 'COCO 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '2d' as const },
  ...{ kinds: [], tracks: true, attributes: true, options: [] },
}

const { send } = await startTestGateway({
  services: {
    projects: { getProject: async () => project, listProjects: async () => page(project) },
    tasks: { getTask: async () => task, listTasks: async () => page(task) },
    jobs: { getJob: async () => job, listJobs: async () => page(job) },
    requests: {
      getRequest: async () => requestRecord(),
      listRequests: async () => page(requestRecord()),
    },
    server: { listFormats: async () => ({ importers: [format], exporters: [format] }) },
  },
})
const mount = '/as/cvat/api'
const get = async (path: string) => Object((await send(path)).json())

/** Fields of native responses that CVAT clients do not know. */
const others: Record<string, readonly string[]> = {
  '/projects': ['revision'],
  '/tasks': ['revision', 'media_type', 'project_name'],
  '/jobs': ['revision', 'media_type', 'project_name', 'task_name', 'replicas_count'],
  '/requests': ['queue_position', 'eta_seconds', 'bytes_done', 'bytes_total', 'attempt', 'report'],
}

describe.each(Object.entries(others))('%s', (path, fields) => {
  test.each(['', '/1'])(
    '%s has only fields that the schema of CVAT clients contains',
    async (id) => {
      const read = (answer: Record<string, unknown>) => (id ? answer : Object(answer.results)[0])
      const here = read(await get(`/api${path}${id}`))
      const there = read(await get(`${mount}${path}${id}`))
      for (const field of fields) {
        expect(Object.keys(here)).toContain(field)
        expect(Object.keys(there)).not.toContain(field)
      }
      expect(there).toMatchObject({ id: here.id, status: expect.any(String) })
    },
  )
})

test('formats and operations of requests have only fields of the CVAT schema', async () => {
  const { importers, exporters } = await get(`${mount}/server/annotation/formats`)
  for (const [one] of [importers, exporters])
    expect(Object.keys(one).sort()).toEqual(['dimension', 'enabled', 'ext', 'name', 'version'])
  expect((await get(`${mount}/requests/x`)).operation).not.toHaveProperty('org_id')
})

describe('a task of a video', () => {
  test.each([
    [{ ...video, size: 60, segment_size: 25, overlap: 5 }, 'video', 5],
    [{ ...video, size: 60, segment_size: 60, overlap: 0 }, 'video', 5],
    [{ ...video, size: 7, segment_size: 7, overlap: 0 }, 'video', 3],
    [{ ...video, size: 60, segment_size: 25, overlap: 0 }, 'video', 0],
    [{ data_original_chunk_type: 'imageset' as const, overlap: 0 }, 'imageset', 0],
    [{ overlap: null }, undefined, null],
  ])('of %j has the chunk type %s and the overlap %s', async (given, type, overlap) => {
    task = taskRecord(given)
    const read = await get(`${mount}/tasks/1`)
    expect([read.data_original_chunk_type, read.overlap]).toEqual([type, overlap])
    expect((await get('/api/tasks/1')).overlap).toBe(given.overlap)
  })

  test('has jobs with the same chunk type, and compressed chunks of images', async () => {
    job = jobRecord(video)
    expect(await get(`${mount}/jobs/31`)).toMatchObject({
      ...{ data_original_chunk_type: 'video', data_compressed_chunk_type: 'imageset' },
    })
    expect(await get('/api/jobs/31')).toMatchObject({ data_original_chunk_type: 'imageset' })
  })
})
