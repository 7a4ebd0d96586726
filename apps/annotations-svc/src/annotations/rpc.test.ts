import { annotations } from '@reticle/contracts/api/annotations'
import { unavailable } from '@reticle/kit'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import {
  bodyOf,
  depsOf,
  openWorkspace,
  openWorkspaces,
  readAnswer,
  user,
  whole,
} from '../testing/workspace.ts'
import { annotationHandlers } from './rpc.ts'

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { workspaces, add } = openWorkspaces()
const handlers = annotationHandlers(depsOf(db, workspaces))

const box = { type: 'rectangle', frame: 2, label_id: 40, points: [1, 2, 3, 4] }

describe.each(transports)('over %s', (transport) => {
  const service = overTransport(transport, annotations, handlers)
  const setUp = () => openWorkspace(service, add)

  test('a put returns objects in the order sent, and a read returns them by frame', async () => {
    const { job } = setUp()
    const { set } = await job.put({
      shapes: [{ ...box, frame: 4 }, box],
      tags: [{ frame: 0, label_id: 40 }],
    })
    const { set: read, etag, length } = await job.get()

    expect(set.shapes.map((one) => one.frame)).toEqual([4, 2])
    expect(read.shapes.map((one) => one.frame)).toEqual([2, 4])
    expect(read.shapes[0]).toEqual({
      id: set.shapes[1]?.id,
      type: 'rectangle',
      frame: 2,
      label_id: 40,
      group: 0,
      source: 'manual',
      score: 1,
      occluded: false,
      outside: false,
      z_order: 0,
      rotation: 0,
      points: [1, 2, 3, 4],
      attributes: [
        { spec_id: 90, value: 'red' },
        { spec_id: 91, value: '' },
        { spec_id: 92, value: 'false' },
      ],
      elements: [],
    })
    expect(read.tags).toHaveLength(1)
    expect(read.version).toBe(0)
    expect(etag).toMatch(/^"a\d+-1"$/)
    expect(length).toBe(Buffer.byteLength(JSON.stringify(read)))
  })

  test('a caller without permission is refused before the body is read', async () => {
    const body = bodyOf('no JSON at all')
    const attempt = service.replaceJobAnnotations(
      { id: setUp().job_id, body },
      callAs({ user_id: 8 }),
    )
    await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('an unknown job is not found', async () => {
    const attempt = service.getJobAnnotations({ id: 999, ...whole }, user())
    await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
  })

  test.each(['format', 'filename', 'action', 'location', 'cloud_storage_id'])(
    'a read with the removed parameter %s is refused',
    async (name) => {
      const input = { id: setUp().job_id, ...whole, [name]: 'x' }
      const attempt = service.getJobAnnotations(input, user())
      await expect(attempt).rejects.toMatchObject({
        kind: 'gone',
        message: /jobs\/\{id\}\/dataset\/export/,
      })
    },
  )

  test.each(['format', 'rq_id'])('a put with the removed parameter %s is refused', async (name) => {
    const input = { id: setUp().job_id, body: bodyOf({}), [name]: 'x' }
    const attempt = service.replaceTaskAnnotations(input, user())
    await expect(attempt).rejects.toMatchObject({ kind: 'gone' })
  })

  test('annotations of a task without data can be neither read nor written', async () => {
    const { workspace, task } = setUp()
    workspace.jobs = []
    await expect(task.get()).rejects.toMatchObject({
      kind: 'invalid',
      message: 'Exporting annotations from a task without data is not allowed',
    })
    await expect(task.put({})).rejects.toMatchObject({
      body: ['This task data has not been initialized yet'],
    })
  })

  test('a large job is streamed with every number bit for bit', async () => {
    const { job } = setUp()
    const shapes = Array.from({ length: 5000 }, (_, index) => ({
      type: 'polygon',
      frame: index % 5,
      label_id: 40,
      points: Array.from(
        { length: 6 },
        (_, n) => Math.fround(Math.sin(index * 7 + n)) * 1e7 * Math.random(),
      ),
      attributes: [{ spec_id: 91, value: `Škoda "${index}" 日本\\` }],
    }))

    const { set: answered, length } = await job.put({ shapes })
    const { set: read } = await job.get()

    const sorted = shapes.toSorted((a, b) => a.frame - b.frame)
    expect(length).toBeUndefined()
    expect(answered.shapes.map((one) => one.points)).toEqual(shapes.map((one) => one.points))
    expect(read.shapes.map((one) => one.points)).toEqual(sorted.map((one) => one.points))
    expect(read.shapes.map((one) => one.attributes[1])).toEqual(
      sorted.map((one) => one.attributes[0]),
    )
  })

  test('a body that breaks off near its end changes nothing', async () => {
    const { job, job_id } = setUp()
    const { etag } = await job.put({ shapes: [box] })
    async function* broken() {
      yield Buffer.from('{"shapes":[')
      for (let n = 0; n < 3000; n++) yield Buffer.from(`${JSON.stringify(box)},`)
      yield Buffer.from('{"type":')
      throw unavailable('The caller went away.')
    }
    await expect(
      readAnswer(service.replaceJobAnnotations({ id: job_id, body: broken() }, user())),
    ).rejects.toThrow()
    const after = await job.get()
    expect(after.set.shapes).toHaveLength(1)
    expect(after.etag).toBe(etag)
  })
})
