import { transports } from '@reticle/kit/testing/transport'
import type { Insertable } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { ProjectsDb } from '../db/schema.ts'
import { testOrganizations } from '../testing/organizations.ts'
import type { TestUser } from '../testing/workspace.ts'

/** Cloud storages of moved projects. */

const { db, over, addUser, addOrganization, as, takeEvents } = await testOrganizations()
const stranger = await addUser()

describe.each(transports)('over %s', (transport) => {
  const { projects, tasks } = over(transport)

  /** Adds an organization with a cloud storage, and a project with a task in it. */
  async function filled() {
    const { id, owner } = await addOrganization()
    const call = await as(owner, id)
    const project = await projects.createProject({ body: { name: 'p' } }, call)
    const task = await tasks.createTask({ body: { name: 't', project_id: project.id } }, call)
    const bucket: Bucket = {
      provider_type: 'AWS_S3_BUCKET',
      credentials_type: 'ANONYMOUS_ACCESS',
      resource: 'frames',
      display_name: 'Frames',
      owner_id: owner.id,
      organization_id: id,
    }
    const cloud_storage_id = await addBucket(bucket)
    const place = { location: 'cloud_storage', cloud_storage_id } as const
    await takeEvents()
    return { id, owner, project: project.id, task: task.id, bucket, place }
  }
  type Patch = Parameters<typeof projects.updateProject>[0]['body']
  const move = async (id: number, user: TestUser, storages: Patch = {}) =>
    projects.updateProject({ id, body: { organization_id: null, ...storages } }, await as(user))

  test.each(['project', 'task'] as const)(
    'a %s storage without an equal one in the new workspace prevents the move',
    async (kind) => {
      const { id, owner, project, task, bucket, place } = await filled()
      await use(kind === 'project' ? { project_id: project } : { task_id: task }, place)
      const own = { ...bucket, organization_id: null }
      for (const other of ['resource', 'specific_attributes'] as const)
        await addBucket({ ...own, [other]: 'other=1' })
      await addBucket({ ...own, manifests: ['manifest.jsonl'] })
      await addBucket({ ...own, owner_id: stranger.id })

      await expect(move(project, owner)).rejects.toMatchObject({
        kind: 'invalid',
        body: ['Could not find a similar cloud storage in the new workspace'],
      })
      expect(await takeEvents()).toEqual([])
      const stayed = await projects.getProject({ id: project }, await as(owner))
      expect(stayed.organization_id).toBe(id)
      if (kind === 'task') return
      const moved = await move(project, owner, { source_storage: { location: 'local' } })
      expect(moved.source_storage).toMatchObject({ location: 'local', cloud_storage_id: null })
    },
  )

  test('a single equal storage of the target workspace replaces the old one', async () => {
    const { owner, project, task, bucket, place } = await filled()
    for (const whose of [{ project_id: project }, { task_id: task }]) await use(whose, place)
    const own = { ...bucket, organization_id: null }
    const [like, another] = [await addBucket(own), await addBucket(own)]
    await expect(move(project, owner)).rejects.toMatchObject({ kind: 'invalid' })

    await db.deleteFrom('cloud_storages').where('id', '=', another).execute()
    const there = { location: 'cloud_storage', cloud_storage_id: like }
    expect((await move(project, owner)).source_storage).toMatchObject(there)
    const { source_storage } = await tasks.getTask({ id: task }, await as(owner))
    expect(source_storage).toMatchObject(there)
  })

  test('a storage named in the request must belong to the target workspace', async () => {
    const { owner, project, place } = await filled()
    const text = expect.stringContaining('another workspace')
    await expect(move(project, owner, { source_storage: place })).rejects.toMatchObject({
      body: { source_storage: { cloud_storage_id: [text] } },
    })
  })
})

type Bucket = Insertable<ProjectsDb['cloud_storages']>

async function addBucket(bucket: Bucket): Promise<number> {
  const made = db.insertInto('cloud_storages').values(bucket).returning('id')
  return (await made.executeTakeFirstOrThrow()).id
}

type Use = Omit<Insertable<ProjectsDb['storages']>, 'purpose'>

const use = (whose: Partial<Use>, place: Pick<Use, 'location' | 'cloud_storage_id'>) =>
  db
    .insertInto('storages')
    .values({ ...whose, ...place, purpose: 'source' })
    .execute()
