import { recordTag } from '@reticle/kit/call/etag'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testCloudStorages } from '../../testing/cloud-storages.ts'

/** Calls on cloud storages. Permissions are tested in `policy.test.ts`. */

const given = await testCloudStorages()
const { db, store, addUser, addMember, addOrganization, addBucket, as, bodyOf, over } = given
const { takeEvents } = given
const [anna, bo] = [await addUser(), await addUser()]
const forbidden = { kind: 'forbidden' }
const notThere = { kind: 'not_found' }
const invalid = (field: string, text: string) => ({
  kind: 'invalid',
  body: { [field]: [expect.stringContaining(text)] },
})

const allRefused = (attempts: readonly Promise<unknown>[], refusal: object) =>
  Promise.all(attempts.map((one) => expect(one).rejects.toMatchObject(refusal)))

describe.each(transports)('over %s', (transport) => {
  const services = over(transport)
  const { storages } = services
  type Body = Parameters<typeof storages.createCloudStorage>[0]['body']
  type Patch = Parameters<typeof storages.updateCloudStorage>[0]['body']
  const create = (body: Body, call = anna.call) => storages.createCloudStorage({ body }, call)
  const patch = (id: number, body: Patch, call = anna.call) =>
    storages.updateCloudStorage({ id, body }, call)
  const get = (id: number, call = anna.call) => storages.getCloudStorage({ id }, call)
  const setUp = async (objects: Record<string, string> = {}, more: Partial<Body> = {}) => {
    const bucket = addBucket(objects)
    const made = await create({ ...bodyOf(bucket.name), ...more })
    await takeEvents()
    return { bucket, made, id: made.id }
  }

  test('a usable bucket is connected, and the record contains no credentials', async () => {
    const { name } = addBucket({ 'manifest.jsonl': '' })
    await takeEvents()
    const body = { ...bodyOf(name), description: 'd', manifests: ['manifest.jsonl'] }
    const made = await create(body)
    const { key: _, secret_key, ...shown } = body
    expect(made).toEqual({
      ...shown,
      id: expect.any(Number),
      owner: expect.objectContaining({ id: anna.id }),
      organization: null,
      created_date: expect.any(String),
      updated_date: expect.any(String),
    })
    expect(await get(made.id)).toEqual(made)
    const events = await takeEvents()
    expect(events).toMatchObject([
      {
        type: 'create:cloudstorage',
        key: `cloudstorage:${made.id}`,
        data: { cloudstorage: made },
      },
    ])
    const row = await db
      .selectFrom('cloud_storages')
      .selectAll()
      .where('id', '=', made.id)
      .executeTakeFirstOrThrow()
    for (const secret of [store.key, store.secret])
      expect(JSON.stringify([made, events, row])).not.toContain(secret)
    expect(row.credentials_sealed).toMatch(/^k1\./)
    expect(secret_key).toBe(store.secret)
  })

  test('a storage belongs to the workspace of the request', async () => {
    const { id, owner } = await addOrganization()
    const { name } = addBucket()
    const made = await create(bodyOf(name), await as(owner, id))
    expect(made.organization).toBe(id)
    expect((await takeEvents()).at(-1)).toMatchObject({ headers: { 'org-id': String(id) } })
    const supervisor = await addMember(id, 'supervisor')
    expect((await get(made.id, await as(supervisor))).id).toBe(made.id)
    for (const body of [{ description: 'x' }, {}]) {
      const attempt = patch(made.id, body, await as(supervisor))
      if ('description' in body) await expect(attempt).rejects.toMatchObject(forbidden)
      else expect((await attempt).id).toBe(made.id)
    }
    const worker = await addMember(id, 'worker')
    await expect(get(made.id, await as(worker))).rejects.toMatchObject(forbidden)
    const adding = create(bodyOf(name), await as(supervisor, id))
    await expect(adding).rejects.toMatchObject(forbidden)
  })

  test.each([
    ['credentials that are wrong', { key: 'AKIDOTHER' }, 'credentials', 'cannot be used'],
    ['a bucket that is not there', { resource: 'nothing-here' }, 'resource', 'does not exist'],
    [
      'a store that does not answer',
      { specific_attributes: 'endpoint_url=http%3A%2F%2F127.0.0.1%3A1' },
      'resource',
      'cannot be reached',
    ],
    [
      'an address that is not allowed',
      { specific_attributes: 'endpoint_url=http%3A%2F%2F10.0.0.1' },
      'specific_attributes',
      'not allowed',
    ],
    ['a manifest that is not there', { manifests: ['a.txt', 'b.txt'] }, 'manifests', '"b.txt"'],
    ['a missing secret', { secret_key: undefined }, 'secret_key', 'required'],
    ['a resource of another provider', { resource: 'a_b' }, 'resource', 'Use lower-case'],
    [
      'a type of another provider',
      { credentials_type: 'KEY_FILE_PATH' as const },
      'credentials_type',
      'use',
    ],
  ])('%s is rejected, and nothing is stored', async (_, wrong, field, text) => {
    const { name } = addBucket({ 'a.txt': '' })
    await takeEvents()
    const count = () =>
      db
        .selectFrom('cloud_storages')
        .select(({ fn }) => fn.countAll().as('n'))
        .executeTakeFirst()
    const before = await count()
    await expect(create({ ...bodyOf(name), ...wrong })).rejects.toMatchObject(invalid(field, text))
    const { id } = await create(bodyOf(name))
    await takeEvents()
    if (field !== 'secret_key') {
      const seen = await get(id) // a PATCH without a secret keeps the stored one
      const pair = { key: store.key, secret_key: store.secret } // another endpoint requires the credentials
      const body = 'specific_attributes' in wrong ? { ...pair, ...wrong } : wrong
      await expect(patch(id, body)).rejects.toMatchObject(invalid(field, text))
      expect(await get(id)).toEqual(seen)
    }
    expect(await takeEvents()).toEqual([])
    expect(Number((await count())?.n)).toBe(Number(before?.n) + 1)
  })

  test('an update checks the bucket again, and its event contains the old values', async () => {
    const { id, made } = await setUp()
    const { name } = addBucket({ 'm.jsonl': '' })
    const body = { resource: name, display_name: 'Others', manifests: ['m.jsonl'] }
    const changed = await patch(id, body)
    expect(changed).toMatchObject({ id, ...body })
    expect(await takeEvents()).toMatchObject([
      {
        type: 'update:cloudstorage',
        data: {
          cloudstorage: changed,
          before_update: { resource: made.resource, display_name: 'Raw frames', manifests: [] },
        },
      },
    ])
    expect(await patch(id, { manifests: [] })).toMatchObject({ ...body, manifests: [] })
  })

  test('an update without effect emits no event, and an empty one does not call the bucket', async () => {
    const { id, made } = await setUp()
    expect(await patch(id, { display_name: 'Raw frames', secret_key: store.secret })).toEqual(made)
    const calls = store.calls()
    expect(await patch(id, {})).toEqual(made)
    expect(store.calls()).toBe(calls)
    expect(await takeEvents()).toEqual([])
  })

  test('another type of credentials requires its own keys', async () => {
    const { id, bucket, made } = await setUp()
    store.open.add(bucket.name)
    const changed = await patch(id, { credentials_type: 'ANONYMOUS_ACCESS' })
    expect(changed.credentials_type).toBe('ANONYMOUS_ACCESS')
    const back = patch(id, { credentials_type: 'KEY_SECRET_KEY_PAIR' })
    await expect(back).rejects.toMatchObject({
      kind: 'invalid',
      body: { key: [expect.any(String)] },
    })
    expect(changed.updated_date > made.updated_date).toBe(true)
    const keys = { key: store.key, secret_key: store.secret }
    await patch(id, { credentials_type: 'KEY_SECRET_KEY_PAIR', ...keys })
  })

  test('a stale If-Match changes nothing', async () => {
    const { id, made } = await setUp()
    const if_match = recordTag(made)
    await storages.updateCloudStorage({ id, body: { description: 'x' }, if_match }, anna.call)
    await allRefused(
      [
        storages.updateCloudStorage({ id, body: { description: 'y' }, if_match }, anna.call),
        storages.deleteCloudStorage({ id, if_match }, anna.call),
      ],
      { kind: 'precondition' },
    )
  })

  test('outside organizations only the owner may use a storage', async () => {
    const { id } = await setUp()
    const content = { id, page_size: 1 }
    await allRefused(
      [
        get(id, bo.call),
        patch(id, { description: 'x' }, bo.call),
        storages.deleteCloudStorage({ id }, bo.call),
        storages.getCloudStorageStatus({ id }, bo.call),
        storages.listCloudStorageContent(content, bo.call),
        storages.getCloudStorageActions({ id }, bo.call),
        storages.readPreviewImage({ id }, bo.call),
      ],
      forbidden,
    )
    await allRefused(
      [get(0), patch(0, {}), storages.deleteCloudStorage({ id: 0 }, anna.call)],
      notThere,
    )
    const { results } = await storages.listCloudStorages({}, bo.call)
    expect(results).toEqual([])
  })

  test('an unused storage can be deleted', async () => {
    const { id, made } = await setUp()
    await storages.deleteCloudStorage({ id }, anna.call)
    expect(await takeEvents()).toMatchObject([
      { type: 'delete:cloudstorage', data: { cloudstorage: made } },
    ])
    await expect(get(id)).rejects.toMatchObject(notThere)
  })
})
