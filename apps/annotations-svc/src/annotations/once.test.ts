import { randomUUID } from 'node:crypto'
import { testDb } from '@reticle/kit/testing/db'
import { expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { bodyOf, openService, readAnswer, user } from '../testing/workspace.ts'

/** `spec/extensions.md` 7, after the process that should have kept the first answer died: the write is not made again. */

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { service, setUp } = openService(db)
const box = { type: 'rectangle', frame: 2, label_id: 40, points: [1, 2, 3, 4] }
const many = Array.from({ length: 3000 }, () => box)

/** Writes of one job that are sent again under one call id. */
function repeated(id: number) {
  const context = { ...user(), call_id: randomUUID() }
  return {
    put: (set: unknown) =>
      readAnswer(service.replaceJobAnnotations({ id, body: bodyOf(set) }, context)),
    patch: (action: string, set: unknown) =>
      readAnswer(service.updateJobAnnotations({ id, action, body: bodyOf(set) }, context)),
  }
}

test.each([
  ['few objects', [box]],
  ['many objects', many],
])('%s that are added twice are there once', async (_, shapes) => {
  const { job, job_id, workspace } = setUp()
  const { patch } = repeated(job_id)
  const first = await patch('create', { shapes })
  const again = await patch('create', { shapes })
  expect(again).toMatchObject({ etag: first.etag, set: { id: job_id } })
  const { set, etag } = await job.get()
  expect([set.shapes.length, etag]).toEqual([shapes.length, first.etag])
  expect(workspace.told).toHaveLength(1)
})

test('a set that was replaced by somebody else since is not put back', async () => {
  const { job, job_id } = setUp()
  const { put } = repeated(job_id)
  const first = await put({ shapes: [box] })
  await job.put({ shapes: [box, box] })
  expect((await put({ shapes: [box] })).etag).toBe(first.etag)
  expect((await job.get()).set.shapes).toHaveLength(2)
})

test('an update and a removal are made once, too', async () => {
  const { job, job_id } = setUp()
  const { set } = await job.put({ shapes: many.slice(0, 200) })
  for (const [action, shapes] of [
    ['update', set.shapes.map(({ id }) => ({ id, z_order: 5 }))],
    ['delete', set.shapes.slice(0, 150).map(({ id }) => ({ id }))],
  ] as const) {
    const { patch } = repeated(job_id)
    const first = await patch(action, { shapes })
    expect(await patch(action, { shapes })).toMatchObject({ etag: first.etag, set: { id: job_id } })
  }
  expect((await job.get()).set.shapes).toHaveLength(50)
})

test('what changes nothing is remembered as well', async () => {
  const { job, job_id } = setUp()
  const { patch } = repeated(job_id)
  const first = await patch('create', {})
  await job.put({ shapes: [box] })
  expect((await patch('create', {})).etag).toBe(first.etag)
})

test('another body is read to its end, refused and not applied', async () => {
  const { job, job_id } = setUp()
  const { patch } = repeated(job_id)
  await patch('create', { shapes: [box] })
  const other = patch('create', { shapes: many })
  await expect(other).rejects.toMatchObject({ kind: 'conflict', code: 'idempotency_key_reused' })
  expect((await job.get()).set.shapes).toHaveLength(1)
})

test('a write that was refused is made when it comes again', async () => {
  const { job, job_id } = setUp()
  const { patch } = repeated(job_id)
  await expect(patch('create', { shapes: [{ ...box, frame: 999 }] })).rejects.toThrow()
  await patch('create', { shapes: [box] })
  expect((await job.get()).set.shapes).toHaveLength(1)
})

test('of two at once one is made, and the other is told to come back', async () => {
  const { job, job_id } = setUp()
  const { patch } = repeated(job_id)
  const attempts = await Promise.allSettled([1, 2].map(() => patch('create', { shapes: [box] })))
  for (const one of attempts)
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ retry_after: 1 })
  expect((await job.get()).set.shapes).toHaveLength(1)
})
