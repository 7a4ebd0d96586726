import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testCloudStorages } from '../testing/cloud-storages.ts'

/** Cloud storages used by projects and tasks. */

const given = await testCloudStorages()
const { addUser, addOrganization, addBucket, as, bodyOf, over, takeEvents } = given
const [anna, bo] = [await addUser(), await addUser()]
const forbidden = { kind: 'forbidden' }
const notThere = { kind: 'not_found' }
const allRefused = (attempts: readonly Promise<unknown>[], refusal: object) =>
  Promise.all(attempts.map((one) => expect(one).rejects.toMatchObject(refusal)))

describe.each(transports)('over %s', (transport) => {
  const services = over(transport)
  const { storages } = services
  const setUp = async (objects: Record<string, string> = {}) => {
    const bucket = addBucket(objects)
    const body = bodyOf(bucket.name)
    const made = await storages.createCloudStorage({ body }, anna.call)
    await takeEvents()
    return { bucket, made, id: made.id }
  }
  const create = (
    body: Parameters<typeof storages.createCloudStorage>[0]['body'],
    call = anna.call,
  ) => storages.createCloudStorage({ body }, call)

  test('a storage in use is kept, or with force removed from its users', async () => {
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

    test('a missing cloud storage is invalid, a hidden one is forbidden', async () => {
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

    test('a visible cloud storage of another workspace is invalid', async () => {
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

describe('the deletion of its organization', () => {
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

  test('leaves a storage and its users to their owners', async () => {
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

  test('deletes a storage on request', async () => {
    const { id, owner, made } = await setUp()
    await organizations.deleteOrganization({ id, objects: 'delete' }, await as(owner))
    expect((await takeEvents()).map(({ type }) => type)).toEqual([
      'delete:organization',
      'delete:project',
      'delete:cloudstorage',
    ])
    const deleted = storages.getCloudStorage({ id: made.id }, await as(owner))
    await expect(deleted).rejects.toMatchObject(notThere)
  })
})
