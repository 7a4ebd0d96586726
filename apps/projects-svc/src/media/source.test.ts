import { encodeFrame } from '@reticle/contracts/frame-lines'
import { frameOf } from '@reticle/contracts/testing/records'
import { bytesOf, readAllBytes } from '@reticle/kit/testing/bytes'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testCloudStorages } from '../testing/cloud-storages.ts'
import type { TestUser } from '../testing/workspace.ts'

/** Buckets as the source of media. */

const given = await testCloudStorages()
const { addUser, addOrganization, addMember, addBucket, as, bodyOf, over, takeEvents } = given

describe.each(transports)('over %s', (transport) => {
  const { storages, projects, tasks, media } = over(transport)

  async function connected(
    objects: Record<string, string> = { 'a.jpg': 'picture' },
    who?: TestUser,
    project_id?: number,
  ) {
    const anna = who ?? (await addUser())
    const bucket = addBucket(objects)
    const { id } = await storages.createCloudStorage({ body: bodyOf(bucket.name) }, anna.call)
    const task = await tasks.createTask({ body: { name: 't', project_id } }, anna.call)
    return { anna, bucket, cloud_storage_id: id, task_id: task.id }
  }
  type World = Awaited<ReturnType<typeof connected>>

  async function attached(who?: TestUser, project_id?: number) {
    const world = await connected(undefined, who, project_id)
    await attach(world)
    return world
  }
  const attach = ({ anna, task_id, cloud_storage_id }: Omit<World, 'bucket'>) => {
    const line = encodeFrame(frameOf({ key: `bucket:${task_id}:a.jpg:`, length: 7 }))
    const about = { call_id: `attach-${task_id}`, image_quality: 70, chunk_size: 36 }
    const query = { ...about, task_id, storage: 'cloud_storage' as const, cloud_storage_id }
    return media.attachMedia({ ...query, body: bytesOf(line) }, anna.call)
  }
  const frame = ({ anna, task_id }: Pick<World, 'anna' | 'task_id'>) =>
    media.locateFrame({ target: 'task', id: task_id, number: 0, preview: false }, anna.call)
  const text = async (task_id: number, key = 'a.jpg') => {
    const strangerValue = { ...(await addUser()).call, principal: null }
    const part = { task_id, key, start: 0, end: 6 }
    const { chunks } = await storages.readSourceFile(part, strangerValue)
    return (await readAllBytes(chunks)).toString()
  }
  const sourceOf = async (id: number, call: TestUser['call']) =>
    (await tasks.getTask({ id }, call)).data_cloud_storage_id
  const taskUpdates = async () =>
    (await takeEvents()).filter(({ type }) => type === 'update:task').map(({ data }) => data)
  const detached = { kind: 'conflict', code: 'storage_detached' }

  test('files below the prefix of the storage are listed with their sizes', async () => {
    const { anna, bucket, task_id } = await connected({ 'in/a': '1', 'in/b/c': '22', 'out/d': '3' })
    const own = bodyOf(bucket.name)
    const body = { ...own, specific_attributes: `${own.specific_attributes}&prefix=in%2F` }
    const { id: cloud_storage_id } = await storages.createCloudStorage({ body }, anna.call)
    const list = async (prefix: string, is_key = false) =>
      (
        await storages.listSourceFiles({ cloud_storage_id, task_id, prefix, is_key }, anna.call)
      ).files.map(({ key, size }) => `${key} ${size}`)
    expect(await list('')).toEqual(['in/a 1', 'in/b/c 2'])
    expect(await list('in/b/')).toEqual(['in/b/c 2'])
    expect(await list('out/')).toEqual([])
    expect(await list('in/a', true)).toEqual(['in/a 1'])
    expect(await list('in', true)).toEqual([])
    expect(await list('out/d', true)).toEqual([])
    const part = { task_id, cloud_storage_id, key: 'out/d', start: 0, end: 0 }
    await expect(storages.readSourceFile(part, anna.call)).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('"out/d"'),
    })
  })

  test('a missing storage, or one of another user or workspace, cannot be used', async () => {
    const { anna, task_id, cloud_storage_id } = await connected()
    const other = await connected()
    const permit = (id: number, call = anna.call) =>
      storages.permitSource({ cloud_storage_id: id, task_id }, call)
    expect(await permit(cloud_storage_id)).toEqual({})
    await expect(permit(other.cloud_storage_id)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(permit(999_999)).rejects.toMatchObject({
      body: { cloud_storage_id: [expect.stringContaining('does not exist')] },
    })
    const { id: organization } = await addOrganization()
    const maintainer = await addMember(organization, 'maintainer')
    const there = await as(maintainer, organization)
    const shared = await storages.createCloudStorage(
      { body: bodyOf(addBucket({ 'a.jpg': '' }).name) },
      there,
    )
    const task = await tasks.createTask({ body: { name: 't' } }, maintainer.call)
    const wanted = { cloud_storage_id: shared.id, task_id: task.id }
    await expect(storages.permitSource(wanted, there)).rejects.toMatchObject({
      body: { cloud_storage_id: ['The cloud storage belongs to another workspace.'] },
    })
    const mine = { anna, task_id, cloud_storage_id: other.cloud_storage_id }
    await expect(attach(mine)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('media in a bucket appears in the meta, and its frames can be read', async () => {
    const world = await attached()
    const { task_id, cloud_storage_id, anna, bucket } = world
    const meta = await media.getTaskDataMeta({ id: task_id }, anna.call)
    expect(meta).toMatchObject({ storage: 'cloud_storage', cloud_storage_id })
    expect(await sourceOf(task_id, anna.call)).toBe(cloud_storage_id)
    expect((await frame(world)).key).toBe(`bucket:${task_id}:a.jpg:`)
    expect(await text(task_id)).toBe('picture')
    bucket.objects.delete('a.jpg')
    await expect(text(task_id)).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('"a.jpg"'),
    })
  })

  test('a storage in use is deleted only with force; its frames are then unavailable', async () => {
    const world = await attached()
    const { anna, cloud_storage_id: id, task_id } = world
    await expect(storages.deleteCloudStorage({ id }, anna.call)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'storage_in_use',
    })
    await takeEvents()
    await storages.deleteCloudStorage({ id, force: true }, anna.call)
    expect(await taskUpdates()).toMatchObject([
      { task: { data_cloud_storage_id: null }, before_update: { data_cloud_storage_id: id } },
    ])
    expect(await sourceOf(task_id, anna.call)).toBeNull()
    await expect(frame(world)).rejects.toMatchObject(detached)
    await expect(text(task_id)).rejects.toMatchObject(detached)
    const chunk = { target: 'task' as const, id: task_id, number: 0 }
    await expect(media.locateChunk(chunk, anna.call)).rejects.toMatchObject(detached)
    const meta = await media.getTaskDataMeta({ id: task_id }, anna.call)
    expect(meta).toMatchObject({ storage: 'cloud_storage', cloud_storage_id: null })
  })

  test('a task that moves loses its bucket and can be attached to another', async () => {
    const { id: organization_id } = await addOrganization()
    const { anna, bucket, task_id } = await attached(await addMember(organization_id, 'maintainer'))
    const call = await as(anna, organization_id)
    const answer = await tasks.updateTask({ id: task_id, body: { organization_id } }, call)
    expect(answer.data_cloud_storage_id).toBeNull()
    const moved = { anna: { ...anna, call }, task_id }
    await expect(frame(moved)).rejects.toMatchObject(detached)

    const like = await storages.createCloudStorage({ body: bodyOf(bucket.name) }, call)
    const before = await media.getTaskDataMeta({ id: task_id }, call)
    await takeEvents()
    const body = { cloud_storage_id: like.id }
    const meta = await media.updateTaskDataMeta({ id: task_id, body }, call)
    expect(meta.cloud_storage_id).toBe(like.id)
    expect(meta.chunks_updated_date >= before.chunks_updated_date).toBe(true)
    expect(await taskUpdates()).toMatchObject([
      { task: { data_cloud_storage_id: like.id }, before_update: { data_cloud_storage_id: null } },
    ])
    expect(await sourceOf(task_id, call)).toBe(like.id)
    expect((await frame(moved)).data_revision).toBe(2)
    expect(await text(task_id)).toBe('picture')
    await media.updateTaskDataMeta({ id: task_id, body }, call)
    expect(await takeEvents()).toEqual([])
  })

  test('a project that moves loses the buckets of its tasks', async () => {
    const { id: organization_id } = await addOrganization()
    const maintainer = await addMember(organization_id, 'maintainer')
    const { id } = await projects.createProject({ body: { name: 'p' } }, maintainer.call)
    const { task_id } = await attached(maintainer, id)
    const call = await as(maintainer, organization_id)
    await projects.updateProject({ id, body: { organization_id } }, call)
    expect(await sourceOf(task_id, call)).toBeNull()
    const moved = { anna: { ...maintainer, call }, task_id }
    await expect(frame(moved)).rejects.toMatchObject(detached)
  })

  test('a replacement storage must exist and be reachable, and the media must be in a bucket', async () => {
    const { anna, bucket, task_id } = await attached()
    const other = addBucket({ 'a.jpg': 'another' })
    const { id } = await storages.createCloudStorage({ body: bodyOf(other.name) }, anna.call)
    given.store.buckets.delete(other.name)
    const change = (cloud_storage_id: number | null, of = task_id) =>
      media.updateTaskDataMeta({ id: of, body: { cloud_storage_id } }, anna.call)
    await expect(change(id)).rejects.toMatchObject({
      body: { cloud_storage_id: ['The cloud storage is not available.'] },
    })
    await expect(change(null)).rejects.toMatchObject({ kind: 'invalid' })
    const stranger = await connected()
    await expect(change(stranger.cloud_storage_id)).rejects.toMatchObject({ kind: 'forbidden' })
    given.store.buckets.set(other.name, other.objects)
    expect((await change(id)).cloud_storage_id).toBe(id)
    expect(await text(task_id)).toBe('another')
    expect(bucket.objects.size).toBe(1)
    const { id: local } = await tasks.createTask({ body: { name: 't' } }, anna.call)
    const about = { call_id: `local-${local}`, image_quality: 70, chunk_size: 36, task_id: local }
    await media.attachMedia({ ...about, body: bytesOf(encodeFrame(frameOf())) }, anna.call)
    await expect(change(id, local)).rejects.toMatchObject({
      body: { cloud_storage_id: ['The media of this task is in no cloud storage.'] },
    })
  })
})
