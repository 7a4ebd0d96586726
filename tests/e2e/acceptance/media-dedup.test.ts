import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { storedZip } from '../../support/archives.ts'
import type { ApiClient } from '../../support/client.ts'
import { createUserFactory, type RegisteredUser } from '../../support/people.ts'
import { createImages, formOf } from '../../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'
import { metadata, sendChunk, sendFile, tus } from '../../support/tus.ts'

/** Media with the same content is stored once per organization. See docs/spec/data-plane.md#storage. */

const { path, remove } = dataDirectory()
let reticle: Reticle
let anna: RegisteredUser
let bert: RegisteredUser
let archive: Buffer
beforeAll(async () => {
  reticle = await startReticle(path)
  anna = await newPerson()
  bert = await newPerson()
  const filler = { name: 'readme.bin', bytes: Buffer.alloc(9 * 1024 * 1024, 'reticle') }
  archive = storedZip([...(await createImages(3)), filler])
})
afterAll(async () => {
  await reticle.stop()
  remove()
})
const { newPerson } = createUserFactory(() => reticle)

const sum = (bytes: Uint8Array) => `sha256 ${createHash('sha256').update(bytes).digest('base64')}`
const newTask = async (api: ApiClient): Promise<number> =>
  (await api.done('POST', '/tasks', { json: { name: 't', labels: [{ name: 'car' }] } })).id
const dataOf = (id: number) => `/tasks/${id}/data/`
const finish = async (api: ApiClient, id: number) =>
  api.finished(await api.done('POST', dataOf(id), { json: {}, headers: { 'upload-finish': '' } }))
const frame = async (api: ApiClient, id: number) =>
  (await api.bytes(`/tasks/${id}/data?type=frame&number=1&quality=original`)).bytes
const announce = (api: ApiClient, id: number, bytes: Uint8Array, checksum = sum(bytes)) =>
  api.call('POST', dataOf(id), {
    headers: {
      ...{ ...tus, 'upload-length': String(bytes.length), 'upload-checksum': checksum },
      'upload-metadata': metadata('a.zip'),
    },
  })

/** Bytes of the uploaded files in the data directory. */
function room(folder = join(path, 'objects')): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile() && join(entry.parentPath, entry.name).includes('uploads'))
      bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  return bytes
}
const roomOf = (files: number) =>
  vi.waitFor(() => expect(Math.round(room() / archive.length)).toBe(files), { timeout: 60_000 })

describe('uploading the same archive again', () => {
  let first: number
  let second: number

  test('two tasks of one user share one stored copy', async () => {
    first = await newTask(anna.api)
    await sendFile(anna.api, dataOf(first), { name: 'a.zip', bytes: archive }, 5_000_000)
    await finish(anna.api, first)
    await roomOf(1)
    second = await newTask(anna.api)
    await sendFile(anna.api, dataOf(second), { name: 'b.zip', bytes: archive })
    await finish(anna.api, second)
    await roomOf(1)
    expect(await frame(anna.api, second)).toEqual(await frame(anna.api, first))
  })

  test('an archive sent as a form is not stored again either', async () => {
    const id = await newTask(anna.api)
    const form = formOf([{ name: 'c.zip', bytes: archive }])
    await anna.api.finished(await anna.api.done('POST', `/tasks/${id}/data`, { form }))
    await roomOf(1)
    expect((await frame(anna.api, id)).equals(await frame(anna.api, first))).toBe(true)
  })

  test('a client that announces the checksum does not have to send the bytes again', async () => {
    const id = await newTask(anna.api)
    const answer = await announce(anna.api, id, archive)
    const location = String(answer.headers.get('location'))
    expect([answer.status, answer.headers.get('upload-offset')]).toEqual([
      201,
      String(archive.length),
    ])
    expect((await anna.api.call('HEAD', location, { headers: tus })).status).toBe(404)
    await finish(anna.api, id)
    expect(await frame(anna.api, id)).toEqual(await frame(anna.api, first))
    await roomOf(1)
  })

  test('another user does not get the existing copy, and stores a second one', async () => {
    const id = await newTask(bert.api)
    const answer = await announce(bert.api, id, archive)
    expect([answer.status, answer.headers.get('upload-offset')]).toEqual([201, null])
    await sendChunk(bert.api, String(answer.headers.get('location')), 0, archive)
    await finish(bert.api, id)
    await roomOf(2)
  })

  test('the archive stays complete for one task when the other task is deleted', async () => {
    const before = await frame(anna.api, second)
    await anna.api.done('DELETE', `/tasks/${first}`)
    expect((await anna.api.call('GET', `/tasks/${first}`)).status).toBe(404)
    expect(await frame(anna.api, second)).toEqual(before)
  })
})

test('an upload whose bytes do not match the announced checksum is refused and deleted', async () => {
  const id = await newTask(anna.api)
  const other = Buffer.from(archive)
  other[archive.length - 1] = 1
  const { headers } = await announce(anna.api, id, other, sum(Buffer.from('another')))
  const location = String(headers.get('location'))
  const half = 8_500_000
  expect((await sendChunk(anna.api, location, 0, other.subarray(0, half))).status).toBe(204)
  const last = await sendChunk(anna.api, location, half, other.subarray(half))
  expect([last.status, last.headers.get('x-error-code')]).toEqual([460, 'checksum_mismatch'])
  expect((await anna.api.call('HEAD', location, { headers: tus })).status).toBe(404)
  expect((await announce(anna.api, id, other)).headers.get('upload-offset')).toBeNull()
})
