import { requests } from '@reticle/contracts/api/requests'
import { factsOf } from '@reticle/contracts/testing/records'
import { spreadBytes } from '@reticle/kit/blob/spread'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { requestHandlers } from '../../server.ts'
import { authorityOf, noOthers } from '../../testing/services.ts'
import { settingsOf } from '../../testing/settings.ts'

/** Resumable uploads. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const facts = factsOf({ task_id: 2 })
const tasks = authorityOf([
  { target: 'task', id: 1, user_id: 1, facts: factsOf({ size: 0, jobs: [] }) },
  { target: 'task', id: 2, user_id: 1, facts },
  { target: 'task', id: 2, user_id: 2, facts },
  { target: 'job', id: 31, user_id: 1, facts: factsOf({ target: 'job', task_id: 2, job_id: 31 }) },
])
const annotations = { getRevision: async () => ({ etag: '"x"' }) }
const services = { tasks, annotations, ...noOthers }
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const anna = callAs({ user_id: 1 })
const bob = callAs({ user_id: 2 })

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
})

const dead = async () => {
  const rows = await db.selectFrom('blobs').select('key').where('state', '=', 'dead').execute()
  return rows.map(({ key }) => key)
}
const folderOf = (file_id: string, key: string) => key.replace(/[^/]+\/?$/, '') + file_id.slice(2)

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)
  const forImport = { purpose: 'annotations', target: 'task', id: 2 } as const

  const created = async (length: number, name = 'a.json') =>
    ({ ...forImport, ...(await calls.createFile({ ...forImport, name, length }, anna)) }) as const
  type Created = Awaited<ReturnType<typeof created>>
  const named = ({ file_id }: Created) => ({ ...forImport, file_id })
  const opened = async (file: Created, offset: number, bytes: number) => {
    const chunk = await calls.openChunk({ ...named(file), offset, bytes }, anna)
    const { lease } = chunk
    if (lease === undefined) throw new Error('the upload session was not opened')
    return { ...chunk, lease, file_id: file.file_id }
  }
  const noted = (
    { file_id, lease }: { file_id: string; lease: string },
    offset: number,
    is_over = true,
  ) => calls.noteChunk({ file_id, lease, offset, is_over }, anna)
  const stored = async (file: Created, offset: number, bytes: number) =>
    noted(await opened(file, offset, bytes), offset + bytes)

  test('a file has an id that starts with its owner, and an offset of its stored bytes', async () => {
    const file = await created(100)
    expect(file.file_id).toMatch(/^1_[\da-f-]{36}$/)
    const state = { filename: 'a.json', length: 100, expires_date: expect.any(String) }
    expect(await calls.findFile(named(file), anna)).toEqual({ ...state, offset: 0 })
    expect(await stored(file, 0, 40)).toMatchObject({ is_noted: true, offset: 40 })
    expect(await calls.findFile(named(file), anna)).toEqual({ ...state, offset: 40 })
  })

  test('a complete file is no longer an upload', async () => {
    const file = await created(100)
    await stored(file, 0, 100)
    await expect(calls.findFile(named(file), anna)).rejects.toMatchObject({ kind: 'not_found' })
    await expect(opened(file, 100, 0)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a file expires twelve hours after its last change', async () => {
    const file = await created(100)
    const past = (hours: number) =>
      db
        .updateTable('uploads')
        .set({ used_date: new Date(Date.now() - hours * 3_600_000) })
        .execute()
    await past(11)
    await stored(file, 0, 40)
    const { expires_date } = await calls.findFile(named(file), anna)
    const hours = (Date.parse(expires_date) - Date.now()) / 3_600_000
    expect(Math.round(hours)).toBe(12)
    await past(13)
    await expect(calls.findFile(named(file), anna)).rejects.toMatchObject({ kind: 'not_found' })
    await expect(opened(file, 40, 1)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test.each([
    ['no id', () => '../etc/passwd'],
    ['an id that nobody was given', () => `1_${crypto.randomUUID()}`],
    ['the id of another owner', (id: string) => id.replace(/^1_/, '2_')],
  ])('%s is not found', async (_, change) => {
    const file_id = change((await created(100)).file_id)
    const attempt = calls.findFile({ ...forImport, file_id }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a file is found only below its object and for its purpose', async () => {
    const { file_id } = await created(100)
    const elsewhere = [
      { purpose: 'annotations', target: 'job', id: 31, file_id },
      { purpose: 'data', target: 'task', id: 2, file_id },
    ] as const
    for (const one of elsewhere)
      await expect(calls.findFile(one, anna)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('the file of another user is forbidden, even with permission for its object', async () => {
    const file = await created(100)
    await expect(calls.findFile(named(file), bob)).rejects.toMatchObject({ kind: 'forbidden' })
    const chunk = { ...named(file), offset: 0, bytes: 1 }
    await expect(calls.openChunk(chunk, bob)).rejects.toMatchObject({ kind: 'forbidden' })
    const drop = { id: 2, file_id: file.file_id }
    const attempt = calls.deleteTaskAnnotationsFile(drop, bob)
    await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
    expect(await calls.findFile(named(file), anna)).toMatchObject({ offset: 0 })
  })

  test('bytes that do not follow the stored ones receive the offset and no lease', async () => {
    const file = await created(100)
    await stored(file, 0, 40)
    for (const offset of [0, 39, 41]) {
      const chunk = await calls.openChunk({ ...named(file), offset, bytes: 1 }, anna)
      expect(chunk).toMatchObject({ offset: 40 })
      expect(chunk.lease).toBeUndefined()
    }
  })

  test('bytes beyond the length of the file are refused', async () => {
    const file = await created(100)
    await stored(file, 0, 40)
    await expect(opened(file, 40, 61)).rejects.toMatchObject({ kind: 'too_large' })
    await stored(file, 40, 60)
  })

  test('bytes that do not fill a part are stored where the next writer reads them', async () => {
    const file = await created(3 * spreadBytes)
    await stored(file, 0, spreadBytes + 5)
    const next = await opened(file, spreadBytes + 5, 1)
    expect(next.tail).toBe(`${next.key}/0-1`)
    await noted(next, 2 * spreadBytes, false)
    const third = await opened(file, 2 * spreadBytes, 1)
    expect(third.tail).toBeUndefined()
  })

  test('of two writers the later one continues, and the earlier one records nothing', async () => {
    const file = await created(3 * spreadBytes)
    const first = await opened(file, 0, 10)
    const second = await opened(file, 0, 20)
    expect(second.key).not.toBe(first.key)
    expect(await noted(first, 10)).toMatchObject({ is_noted: false, offset: 0 })
    expect(await noted(second, 20)).toMatchObject({ is_noted: true, offset: 20 })
    expect(await noted(first, 10)).toMatchObject({ is_noted: false, offset: 20 })
    expect(await dead()).toEqual([`${first.key}/0-0`])
  })

  test('a partial part is read by a writer that takes over, and deleted once it is rewritten', async () => {
    const file = await created(3 * spreadBytes)
    await stored(file, 0, 10)
    const gone = await opened(file, 10, 10)
    const next = await opened(file, 10, 10)
    expect(next).toMatchObject({ tail: `${gone.key}/0-0`, key: `${gone.key}/0.1` })
    expect(await dead()).toEqual([])
    await noted(next, 20)
    expect(await dead()).toEqual([`${gone.key}/0-0`])
    expect((await opened(file, 20, 1)).tail).toBe(`${gone.key}/1-0`)
  })

  test('a writer that finishes leaves nothing behind for the next', async () => {
    const file = await created(3 * spreadBytes)
    const first = await opened(file, 0, 10)
    await noted(first, 10)
    const second = await opened(file, 10, 10)
    expect(second.key).toBe(first.key)
    expect(await noted(first, 10)).toMatchObject({ is_noted: false })
  })

  test('a deleted file loses its objects', async () => {
    const file = await created(100)
    const { key, ...chunk } = await opened(file, 0, 10)
    const drop = { id: 2, file_id: file.file_id }
    await calls.deleteTaskAnnotationsFile(drop, anna)
    expect(await dead()).toEqual([key.replace(/[^/]+$/, '')])
    await expect(noted(chunk, 10)).rejects.toMatchObject({ kind: 'not_found' })
    const again = calls.deleteTaskAnnotationsFile(drop, anna)
    await expect(again).rejects.toMatchObject({ kind: 'not_found' })
    expect(folderOf(file.file_id, key)).toBe(key)
  })

  test.each([
    ['of somebody else', { ...forImport, id: 1 }, bob, { kind: 'forbidden' }],
    ['that does not exist', { ...forImport, id: 9 }, anna, { kind: 'not_found' }],
    [
      'without media',
      { ...forImport, id: 1 },
      anna,
      { body: ['This task data has not been initialized yet'] },
    ],
    ['of another kind', { ...forImport, target: 'project' }, anna, { kind: 'invalid' }],
  ] as const)('no upload is started for an object %s', async (_, aim, caller, error) => {
    const attempt = calls.createFile({ ...aim, name: 'a', length: 1 }, caller)
    await expect(attempt).rejects.toMatchObject(error)
    expect(await db.selectFrom('blobs').select('key').execute()).toEqual([])
  })

  describe('the use of a complete upload', () => {
    const options = { format: 'COCO 1.0', import_mode: 'replace', conv_mask_to_poly: true }
    const started = (file_id: string, caller = anna) =>
      calls.startImport({ body: { target: 'task', id: 2, file_id, ...options } }, caller)
    const unknown = { code: 'upload_unknown', body: ['No such file were uploaded'] }

    test('a complete file becomes an import, once', async () => {
      const file = await created(spreadBytes + 1, 'folder/a.json')
      const { key } = await opened(file, 0, 1)
      await stored(file, 0, spreadBytes + 1)
      const { rq_id } = await started(file.file_id)
      const row = await db.selectFrom('requests').selectAll().executeTakeFirstOrThrow()
      expect(row.params).toMatchObject({
        file: { name: 'folder/a.json', key: `${key}/0.1`, size: spreadBytes + 1 },
      })
      await calls.cancelRequest({ rq_id }, anna)
      await expect(started(file.file_id)).rejects.toMatchObject(unknown)
      expect(await dead()).toContain(row.input_key)
    })

    test('incomplete and unknown files, and those of other users, are refused', async () => {
      const file = await created(100)
      await stored(file, 0, 99)
      await expect(started(file.file_id)).rejects.toMatchObject(unknown)
      await stored(file, 99, 1)
      await expect(started(file.file_id, bob)).rejects.toMatchObject(unknown)
      for (const none of [`1_${crypto.randomUUID()}`, 'a.json'])
        await expect(started(none)).rejects.toMatchObject(unknown)
      await started(file.file_id)
    })

    test('an empty file is refused', async () => {
      const { file_id } = await created(0)
      await expect(started(file_id)).rejects.toMatchObject({
        body: { annotation_file: ['The submitted file is empty.'] },
      })
    })
  })
})
