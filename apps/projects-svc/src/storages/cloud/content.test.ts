import { BucketFailure } from '@reticle/kit/bucket/bucket'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { readAllBytes } from '@reticle/kit/testing/bytes'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { handlers } from '../../server.ts'
import { testCloudStorages } from '../../testing/cloud-storages.ts'

/** Calls to the bucket of a cloud storage, and their failures. */

const given = await testCloudStorages()
const { db, blobs, store, addUser, addBucket, bodyOf, over, takeEvents, settings, secrets } = given
const anna = await addUser()
const forbidden = { kind: 'forbidden' }
const notThere = { kind: 'not_found' }
const invalid = (field: string, text: string) => ({
  kind: 'invalid',
  body: { [field]: [expect.stringContaining(text)] },
})

describe.each(transports)('over %s', (transport) => {
  const { storages } = over(transport)
  const setUp = async (objects: Record<string, string> = {}) => {
    const bucket = addBucket(objects)
    const body = bodyOf(bucket.name)
    const made = await storages.createCloudStorage({ body }, anna.call)
    await takeEvents()
    return { bucket, made, id: made.id }
  }
  const values = async (answer: Promise<{ chunks: AsyncIterable<Uint8Array> }>) =>
    JSON.parse((await readAllBytes((await answer).chunks)).toString())

  test('the status of a storage follows the state of its bucket', async () => {
    const { id, bucket } = await setUp()
    const status = () => values(storages.getCloudStorageStatus({ id }, anna.call))
    expect(await status()).toBe('AVAILABLE')
    store.buckets.delete(bucket.name)
    expect(await status()).toBe('NOT_FOUND')
    const { id: other } = await setUp()
    await db
      .updateTable('cloud_storages')
      .set({
        credentials_sealed: secrets.seal(
          '{"key":"AKIDOTHER","secret_key":"x"}',
          `cloud_storages.credentials:${other}`,
        ),
      })
      .where('id', '=', other)
      .execute()
    expect(await values(storages.getCloudStorageStatus({ id: other }, anna.call))).toBe('FORBIDDEN')
    const content = storages.listCloudStorageContent({ id: other }, anna.call)
    await expect(content).rejects.toMatchObject(forbidden)
    const removed = storages.listCloudStorageContent({ id }, anna.call)
    await expect(removed).rejects.toMatchObject(notThere)
  })

  test('the content is listed level by level, in pages', async () => {
    const { id } = await setUp({ 'a/1.jpg': '', 'a/b/2.jpg': '', 'c.zip': '' })
    const list = (query = {}) => storages.listCloudStorageContent({ id, ...query }, anna.call)
    expect(await list()).toEqual({
      content: [
        { name: 'a', type: 'DIR', mime_type: 'DIR' },
        { name: 'c.zip', type: 'REG', mime_type: 'archive' },
      ],
      next: null,
    })
    expect((await list({ prefix: 'a/' })).content.map(({ name }) => name)).toEqual(['b', '1.jpg'])
    const first = await list({ page_size: 1 })
    expect(first).toMatchObject({ content: [{ name: 'a' }], next: expect.any(String) })
    const rest = await list({ page_size: 1, next_token: first.next })
    expect(rest).toMatchObject({ content: [{ name: 'c.zip' }], next: null })
    await expect(list({ next_token: '!' })).rejects.toMatchObject(invalid('next_token', 'no token'))
  })

  test('the actions reflect the rights of the credentials', async () => {
    const { id, bucket } = await setUp()
    const actions = () => values(storages.getCloudStorageActions({ id }, anna.call))
    expect(await actions()).toEqual(['read', 'write'])
    store.sealed.add(bucket.name)
    expect(await actions()).toEqual(['read'])
    store.buckets.delete(bucket.name)
    expect(await actions()).toEqual([])
  })

  test('the preview returns the bytes of the first image', async () => {
    const { id, bucket } = await setUp({ 'a.txt': '', 'b/1.jpg': 'picture' })
    const read = async () => {
      const { chunks } = await storages.readPreviewImage({ id }, anna.call)
      return (await readAllBytes(chunks)).toString()
    }
    expect(await read()).toBe('picture')
    bucket.objects.delete('b/1.jpg')
    await expect(read()).rejects.toMatchObject(notThere)
  })
})

test('a storage of a provider whose library is not installed is rejected', async () => {
  const openBucket = async () => {
    throw new BucketFailure('not_installed')
  }
  const { storages } = handlers({ db, blobs, clock: systemClock, settings, secrets, openBucket })
  const attempt = storages.createCloudStorage({ body: bodyOf('frames') }, anna.call)
  await expect(attempt).rejects.toMatchObject({
    ...invalid('provider_type', 'not part of this installation'),
    code: 'provider_unavailable',
  })
})

test('credentials are rejected when they cannot be sealed', async () => {
  const { storages } = handlers({ db, blobs, clock: systemClock, settings })
  const attempt = storages.createCloudStorage({ body: bodyOf(addBucket().name) }, anna.call)
  await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
})

test('no bucket is called while a transaction is open', async () => {
  const { name } = addBucket()
  const { storages } = over('in-process')
  const { id } = await storages.createCloudStorage({ body: bodyOf(name) }, anna.call)
  await db
    .transaction()
    .execute(async (tx) => {
      await tx.selectFrom('cloud_storages').select('id').where('id', '=', id).forUpdate().execute()
      const calls = store.calls()
      const body = { description: 'waits for the lock only after the bucket has answered' }
      const changing = storages.updateCloudStorage({ id, body }, anna.call)
      while (store.calls() === calls) await new Promise((resolve) => setTimeout(resolve, 5))
      return { changing }
    })
    .then(({ changing }) => changing)
})
