import { randomUUID } from 'node:crypto'
import { testDb } from '@reticle/kit/testing/db'
import { expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { bodyOf, openService, readAnswer, user } from '../testing/workspace.ts'

/** A write is not applied again when the process that should have stored its first response died. */

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { service, setUp } = openService(db)
const box = { type: 'rectangle', frame: 2, label_id: 40, points: [1, 2, 3, 4] }
const many = Array.from({ length: 3000 }, () => box)

/** Writes to one job that are repeated with the same call id. */
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
])('%s that are created twice with one call id are stored once', async (_, shapes) => {
  const { job, job_id, workspace } = setUp()
  const { patch } = repeated(job_id)
  const first = await patch('create', { shapes })
  const again = await patch('create', { shapes })
  expect(again).toMatchObject({ etag: first.etag, set: { id: job_id } })
  const { set, etag } = await job.get()
  expect([set.shapes.length, etag]).toEqual([shapes.length, first.etag])
  expect(workspace.notifications).toHaveLength(1)
})

test('a repeated put does not undo a later replacement', async () => {
  const { job, job_id } = setUp()
  const { put } = repeated(job_id)
  const first = await put({ shapes: [box] })
  await job.put({ shapes: [box, box] })
  expect((await put({ shapes: [box] })).etag).toBe(first.etag)
  expect((await job.get()).set.shapes).toHaveLength(2)
})

test('a repeated update or deletion is applied once', async () => {
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

test('a call without changes is remembered as well', async () => {
  const { job, job_id } = setUp()
  const { patch } = repeated(job_id)
  const first = await patch('create', {})
  await job.put({ shapes: [box] })
  expect((await patch('create', {})).etag).toBe(first.etag)
})

test('a repeat with another body is read to its end, rejected and not applied', async () => {
  const { job, job_id } = setUp()
  const { patch } = repeated(job_id)
  await patch('create', { shapes: [box] })
  const other = patch('create', { shapes: many })
  await expect(other).rejects.toMatchObject({ kind: 'conflict', code: 'idempotency_key_reused' })
  expect((await job.get()).set.shapes).toHaveLength(1)
})

test('a rejected write can be repeated', async () => {
  const { job, job_id } = setUp()
  const { patch } = repeated(job_id)
  await expect(patch('create', { shapes: [{ ...box, frame: 999 }] })).rejects.toThrow()
  await patch('create', { shapes: [box] })
  expect((await job.get()).set.shapes).toHaveLength(1)
})

test('one of two concurrent identical calls is applied, and the other is asked to retry', async () => {
  const { job, job_id } = setUp()
  const { patch } = repeated(job_id)
  const attempts = await Promise.allSettled([1, 2].map(() => patch('create', { shapes: [box] })))
  for (const one of attempts)
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ retry_after: 1 })
  expect((await job.get()).set.shapes).toHaveLength(1)
})
