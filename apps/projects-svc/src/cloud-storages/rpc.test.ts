import { cloudStorageList } from '@reticle/contracts/rest/cloud-storages'
import { BucketFailure } from '@reticle/kit/bucket/bucket'
import { systemClock } from '@reticle/kit/clock'
import { recordTag } from '@reticle/kit/etag'
import { gathered } from '@reticle/kit/testing/bytes'
import { counting } from '@reticle/kit/testing/counting'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { handlers } from '../server.ts'
import { testCloudStorages } from '../testing/cloud-storages.ts'

/** `spec/api-workspace.md` 5.5; who may do what is walked in `policy.test.ts`. */

const given = await testCloudStorages()
const { db, store, addUser, addMember, addOrganization, addBucket, as, bodyOf, over } = given
const { takeEvents, settings, secrets } = given
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
  const said = async (answer: Promise<{ chunks: AsyncIterable<Uint8Array> }>) =>
    JSON.parse((await gathered((await answer).chunks)).toString())
  const setUp = async (objects: Record<string, string> = {}, more: Partial<Body> = {}) => {
    const bucket = addBucket(objects)
    const made = await create({ ...bodyOf(bucket.name), ...more })
    await takeEvents()
    return { bucket, made, id: made.id }
  }

  test('a bucket that can be used is connected, and says so without its credentials', async () => {
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

  test('it belongs to the workspace that the request names', async () => {
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
  ])('%s is refused, and nothing is kept', async (_, wrong, field, text) => {
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
      const seen = await get(id) // a PATCH keeps the secret that it does not name
      await expect(patch(id, wrong)).rejects.toMatchObject(invalid(field, text))
      expect(await get(id)).toEqual(seen)
    }
    expect(await takeEvents()).toEqual([])
    expect(Number((await count())?.n)).toBe(Number(before?.n) + 1)
  })

  test('an update asks the bucket again and keeps the old values in its event', async () => {
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

  test('an update that changes nothing says nothing, and an empty one asks nobody', async () => {
    const { id, made } = await setUp()
    expect(await patch(id, { display_name: 'Raw frames', secret_key: store.secret })).toEqual(made)
    const calls = store.calls()
    expect(await patch(id, {})).toEqual(made)
    expect(store.calls()).toBe(calls)
    expect(await takeEvents()).toEqual([])
  })

  test('another type of credentials needs its own keys', async () => {
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

  test('whoever knows an older state changes nothing', async () => {
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

  test('its status is told at any time', async () => {
    const { id, bucket } = await setUp()
    const status = () => said(storages.getCloudStorageStatus({ id }, anna.call))
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
    expect(await said(storages.getCloudStorageStatus({ id: other }, anna.call))).toBe('FORBIDDEN')
    const content = storages.listCloudStorageContent({ id: other }, anna.call)
    await expect(content).rejects.toMatchObject(forbidden)
    const gone = storages.listCloudStorageContent({ id }, anna.call)
    await expect(gone).rejects.toMatchObject(notThere)
  })

  test('its content is listed level by level, in pages', async () => {
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

  test('what its credentials may do is told', async () => {
    const { id, bucket } = await setUp()
    const actions = () => said(storages.getCloudStorageActions({ id }, anna.call))
    expect(await actions()).toEqual(['read', 'write'])
    store.sealed.add(bucket.name)
    expect(await actions()).toEqual(['read'])
    store.buckets.delete(bucket.name)
    expect(await actions()).toEqual([])
  })

  test('its first image is given as it is', async () => {
    const { id, bucket } = await setUp({ 'a.txt': '', 'b/1.jpg': 'picture' })
    const read = async () => {
      const { chunks } = await storages.readPreviewImage({ id }, anna.call)
      return (await gathered(chunks)).toString()
    }
    expect(await read()).toBe('picture')
    bucket.objects.delete('b/1.jpg')
    await expect(read()).rejects.toMatchObject(notThere)
  })

  test('in the sandbox it is its owner’s alone', async () => {
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

  test('one that nobody uses is forgotten', async () => {
    const { id, made } = await setUp()
    await storages.deleteCloudStorage({ id }, anna.call)
    expect(await takeEvents()).toMatchObject([
      { type: 'delete:cloudstorage', data: { cloudstorage: made } },
    ])
    await expect(get(id)).rejects.toMatchObject(notThere)
  })

  test('one in use is kept, or with force taken from those who use it', async () => {
    const { id } = await setUp()
    const storage = { location: 'cloud_storage' as const, cloud_storage_id: id }
    const { projects, tasks } = services
    const target_storage = { location: 'local' as const }
    const project = await projects.createProject(
      { body: { name: 'p', source_storage: storage, target_storage } },
      anna.call,
    )
    const task = await tasks.createTask({ body: { name: 't', target_storage: storage } }, anna.call)
    expect(project.source_storage).toMatchObject(storage)
    await takeEvents()
    await expect(storages.deleteCloudStorage({ id }, anna.call)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'storage_in_use',
      message: expect.stringContaining('1 projects and 1 tasks'),
    })
    expect(await takeEvents()).toEqual([])
    await storages.deleteCloudStorage({ id, force: true }, anna.call)
    const after = await projects.getProject({ id: project.id }, anna.call)
    expect(after).toMatchObject({ source_storage: null, target_storage: project.target_storage })
    expect(after.updated_date > project.updated_date).toBe(true)
    const left = await tasks.getTask({ id: task.id }, anna.call)
    expect(left.target_storage).toBeNull()
    expect(await takeEvents()).toMatchObject([
      { type: 'update:project', data: { before_update: { source_storage: storage } } },
      { type: 'update:task', data: { before_update: { target_storage: storage } } },
      { type: 'delete:cloudstorage' },
    ])
  })

  describe('as a storage of projects and tasks', () => {
    const named = (cloud_storage_id: number) => ({
      location: 'cloud_storage' as const,
      cloud_storage_id,
    })

    test('one that is not there is invalid, one that is not visible forbidden', async () => {
      const { id } = await setUp()
      const { projects, tasks } = services
      const { id: project } = await projects.createProject({ body: { name: 'p' } }, bo.call)
      const { id: task } = await tasks.createTask({ body: { name: 't' } }, bo.call)
      for (const [storage, refusal] of [
        [named(id), forbidden],
        [
          named(0),
          {
            kind: 'invalid',
            body: { target_storage: { cloud_storage_id: [expect.stringContaining('Invalid pk')] } },
          },
        ],
      ] as const) {
        const body = { target_storage: storage }
        await allRefused(
          [
            projects.createProject({ body: { name: 'p', ...body } }, bo.call),
            projects.updateProject({ id: project, body }, bo.call),
            tasks.createTask({ body: { name: 't', ...body } }, bo.call),
            tasks.updateTask({ id: task, body }, bo.call),
          ],
          refusal,
        )
      }
    })

    test('one of another workspace is invalid, though it is visible', async () => {
      const { id: organization, owner } = await addOrganization()
      const inside = await create(bodyOf(addBucket().name), await as(owner, organization))
      const outside = await create(bodyOf(addBucket().name), owner.call)
      const { projects } = services
      const text = 'another workspace'
      for (const [scope, wrong, right] of [
        [null, inside.id, outside.id],
        [organization, outside.id, inside.id],
      ] as const) {
        const call = await as(owner, scope)
        const body = (id: number) => ({ name: 'p', source_storage: named(id) })
        await expect(projects.createProject({ body: body(wrong) }, call)).rejects.toMatchObject({
          kind: 'invalid',
          body: { source_storage: { cloud_storage_id: [expect.stringContaining(text)] } },
        })
        await projects.createProject({ body: body(right) }, call)
      }
    })
  })
})

describe('when its organization goes', () => {
  const { organizations, projects, storages } = over('in-process')
  const setUp = async () => {
    const { id, owner } = await addOrganization()
    const inside = await as(owner, id)
    const body = bodyOf(addBucket().name)
    const made = await storages.createCloudStorage({ body }, inside)
    const source_storage = { location: 'cloud_storage' as const, cloud_storage_id: made.id }
    const project = await projects.createProject({ body: { name: 'p', source_storage } }, inside)
    await takeEvents()
    return { id, owner, made, project }
  }

  test('its owner keeps it, and what uses it', async () => {
    const { id, owner, made, project } = await setUp()
    await organizations.deleteOrganization({ id }, await as(owner))
    const events = await takeEvents()
    expect(events.map(({ type }) => type)).toEqual([
      'delete:organization',
      'update:project',
      'update:cloudstorage',
    ])
    expect(events[2]).toMatchObject({ data: { before_update: { organization: id } } })
    const call = await as(owner)
    const kept = await storages.getCloudStorage({ id: made.id }, call)
    expect(kept).toMatchObject({ id: made.id, organization: null })
    const { source_storage } = await projects.getProject({ id: project.id }, call)
    expect(source_storage).toMatchObject({ cloud_storage_id: made.id })
  })

  test('or it goes with it, when that is asked for', async () => {
    const { id, owner, made } = await setUp()
    await organizations.deleteOrganization({ id, objects: 'delete' }, await as(owner))
    expect((await takeEvents()).map(({ type }) => type)).toEqual([
      'delete:organization',
      'delete:project',
      'delete:cloudstorage',
    ])
    const gone = storages.getCloudStorage({ id: made.id }, await as(owner))
    await expect(gone).rejects.toMatchObject(notThere)
  })
})

test('the list is searched, filtered and sorted by the fields of the catalogue', async () => {
  const { storages } = over('in-process')
  const cleo = await addUser()
  const first = addBucket()
  const second = addBucket()
  store.open.add(second.name)
  const make = (body: Parameters<typeof storages.createCloudStorage>[0]['body']) =>
    storages.createCloudStorage({ body }, cleo.call)
  const { id: one } = await make({ ...bodyOf(first.name), display_name: 'North', description: 'x' })
  const { key: _, secret_key: __, ...open } = bodyOf(second.name)
  const anonymous = { ...open, credentials_type: 'ANONYMOUS_ACCESS' as const }
  const { id: two } = await make({ ...anonymous, display_name: 'South' })
  const ids = async (query = {}) => {
    const { results } = await storages.listCloudStorages(query, cleo.call)
    return results.map(({ id }) => id)
  }
  expect(await ids()).toEqual([two, one])
  expect(await ids({ search: 'north' })).toEqual([one])
  expect(await ids({ search: second.name })).toEqual([two])
  expect(await ids({ search: `anonymous ${cleo.username}` })).toEqual([two])
  expect(await ids({ name: 'North' })).toEqual([one])
  expect(await ids({ resource: second.name })).toEqual([two])
  expect(await ids({ owner: cleo.username, sort: 'name' })).toEqual([one, two])
  expect(await ids({ owner: 'nobody' })).toEqual([])
  expect(await ids({ provider_type: 'AZURE_CONTAINER' })).toEqual([])
  expect(await ids({ credentials_type: 'ANONYMOUS_ACCESS' })).toEqual([two])
  const filter = JSON.stringify({ '==': [{ var: 'description' }, 'x'] })
  expect(await ids(cloudStorageList.parse({ filter }))).toEqual([one])
})

test('a list takes the same queries however long it is', async () => {
  const dora = await addUser()
  const { storages } = over('in-process')
  const { db: watched, statements } = counting(db)
  const counted = over('in-process', watched).storages
  const queries = async () => {
    const before = statements()
    await counted.listCloudStorages({ page_size: '100' }, dora.call)
    return statements() - before
  }
  const body = bodyOf(addBucket().name)
  await storages.createCloudStorage({ body }, dora.call)
  const one = await queries()
  for (let at = 0; at < 5; at++) await storages.createCloudStorage({ body }, dora.call)
  expect(await queries()).toBe(one)
})

test('a provider whose library is not installed is told so', async () => {
  const openBucket = async () => {
    throw new BucketFailure('not_installed')
  }
  const { storages } = handlers({ db, clock: systemClock, settings, secrets, openBucket })
  const attempt = storages.createCloudStorage({ body: bodyOf('frames') }, anna.call)
  await expect(attempt).rejects.toMatchObject({
    ...invalid('provider_type', 'not part of this installation'),
    code: 'provider_unavailable',
  })
})

test('credentials are not taken where they cannot be kept sealed', async () => {
  const { storages } = handlers({ db, clock: systemClock, settings })
  const attempt = storages.createCloudStorage({ body: bodyOf(addBucket().name) }, anna.call)
  await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
})

test('no bucket is asked while a transaction is open', async () => {
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
