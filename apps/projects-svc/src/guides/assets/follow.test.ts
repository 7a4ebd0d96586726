import { randomUUID } from 'node:crypto'
import { silentLog } from '@reticle/kit/observe/log'
import { testClock } from '@reticle/kit/testing/clock'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { createUploader, pictureFile } from '../../testing/assets.ts'
import { addReview } from '../../testing/review.ts'
import { testWorkspace } from '../../testing/workspace.ts'
import { insertAssets } from './repo.ts'
import { lockLive, markUnusedDead } from './repo-objects.ts'
import { sweepAssets } from './sweep.ts'

/** Effects of saving and deleting a guide on assets. */

const { db, blobs, addUser, over } = await testWorkspace()
const [anna, bo] = [await addUser(), await addUser()]
const png = await pictureFile('mirror.png')
const notThere = { kind: 'not_found' }
const shown = (...uuids: string[]) => uuids.map((uuid) => `![](/api/assets/${uuid})`).join(' ')
const referred = (markdown: string) =>
  [...markdown.matchAll(/assets\/([\da-f-]+)/g)].map(([, uuid = '']) => uuid)
const unknown = '5f0c0c1e-8f39-4a52-9c3a-2f3d7b0a9e11'
const hourMs = 3_600_000
/** Runs the sweep as if `hours` had passed. */
const sweepAfter = (hours: number) => {
  const clock = testClock(new Date(Date.now() + hours * hourMs))
  return sweepAssets({ db, blobs, clock, log: silentLog })
}

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { guides, projects, tasks } = services
  const upload = createUploader(services, blobs)
  const create = (project_id: number, markdown = '', user = anna) =>
    guides.createGuide({ body: { project_id, markdown } }, user.call)
  const save = (id: number, markdown: string, user = anna) =>
    guides.updateGuide({ id, body: { markdown } }, user.call)
  const fileOf = (uuid: string, user = anna) => guides.getAssetFile({ uuid }, user.call)
  const isThere = (uuid: string, user = anna) =>
    fileOf(uuid, user).then(
      () => true,
      () => false,
    )
  /** Adds a guide in a project of the user, with one asset that its text references. */
  const guideWithAsset = async (user = anna) => {
    const made = await addReview(services, user)
    const guide = await create(made.project_id, '', user)
    const { uuid } = await upload(guide.id, png, user.call)
    await save(guide.id, shown(uuid), user)
    return { ...made, guide_id: guide.id, uuid }
  }
  const emptyGuide = async () => create((await addReview(services, anna)).project_id)

  test('saving a text deletes the assets that it no longer references and keeps the others', async () => {
    const { guide_id, uuid } = await guideWithAsset()
    const other = await upload(guide_id, png, anna.call)
    const saved = await save(guide_id, `${shown(other.uuid)} only`)
    expect(saved.markdown).toBe(`${shown(other.uuid)} only`)
    expect([await isThere(uuid), await isThere(other.uuid)]).toEqual([false, true])
    await save(guide_id, 'nothing')
    expect(await isThere(other.uuid)).toBe(false)
  })

  test('a save deletes an asset that no text ever referenced, even when the text is unchanged', async () => {
    const { guide_id, uuid } = await guideWithAsset()
    const before = await guides.getGuide({ id: guide_id }, anna.call)
    const unused = await upload(guide_id, png, anna.call)
    expect(await save(guide_id, before.markdown)).toEqual(before)
    expect([await isThere(uuid), await isThere(unused.uuid)]).toEqual([true, false])
  })

  test('a patch without a text keeps all assets', async () => {
    const { guide_id } = await guideWithAsset()
    const unused = await upload(guide_id, png, anna.call)
    await guides.updateGuide({ id: guide_id, body: {} }, anna.call)
    expect(await isThere(unused.uuid)).toBe(true)
  })

  test.each(['saved', 'created'])(
    'a %s guide gets copies of assets of other guides, and its text references the copies',
    async (how) => {
      const source = await guideWithAsset()
      const text = `# Cars ${shown(source.uuid)} and ${shown(source.uuid)}`
      const target = how === 'saved' ? await emptyGuide() : await addReview(services, anna)
      const { id, markdown } =
        'project_id' in target && 'markdown' in target
          ? await save(target.id, text)
          : await create(target.project_id ?? 0, text)
      const [copy = '', again] = referred(markdown)
      expect(again).toBe(copy)
      expect(copy).not.toBe(source.uuid)
      expect(markdown).toBe(text.replaceAll(source.uuid, copy))
      expect(await guides.getGuide({ id }, anna.call)).toMatchObject({ markdown })
      const { key, filename, size, media_type } = await fileOf(source.uuid)
      expect(await fileOf(copy)).toMatchObject({ key, filename, size, media_type })
      expect((await guides.getGuide({ id: source.guide_id }, anna.call)).markdown).toContain(
        source.uuid,
      )
      expect((await save(id, markdown)).markdown).toBe(markdown)
    },
  )

  test('a copied asset belongs to its guide and survives the deletion of its source', async () => {
    const source = await guideWithAsset()
    const { id } = await emptyGuide()
    const [copy = ''] = referred((await save(id, shown(source.uuid))).markdown)
    await projects.deleteProject({ id: source.project_id }, anna.call)
    await sweepAfter(3)
    expect(await isThere(source.uuid)).toBe(false)
    const { key } = await fileOf(copy)
    expect((await blobs.stat(key)).size).toBe(png.bytes.length)
    await guides.deleteGuide({ id }, anna.call)
    await sweepAfter(3)
    await expect(blobs.stat(key)).rejects.toMatchObject(notThere)
  })

  test('references to missing assets, or to assets that the caller may not view, stay unchanged', async () => {
    const { uuid } = await guideWithAsset(bo)
    const { id } = await emptyGuide()
    const text = shown(uuid, unknown)
    expect(await save(id, text)).toMatchObject({ markdown: text })
    expect(await isThere(uuid)).toBe(false)
    expect(await isThere(uuid, bo)).toBe(true)
    const count = await db.selectFrom('assets').select('uuid').where('guide_id', '=', id).execute()
    expect(count).toEqual([])
  })

  test('deleting a guide, task or project deletes its assets', async () => {
    const first = await guideWithAsset()
    await guides.deleteGuide({ id: first.guide_id }, anna.call)
    const second = await guideWithAsset()
    await projects.deleteProject({ id: second.project_id }, anna.call)
    const { task_id } = await addReview(services, anna)
    const ofTask = await guides.createGuide({ body: { task_id } }, anna.call)
    const third = await upload(ofTask.id, png, anna.call)
    await tasks.deleteTask({ id: task_id }, anna.call)
    for (const uuid of [first.uuid, second.uuid, third.uuid])
      await expect(fileOf(uuid)).rejects.toMatchObject(notThere)
  })
})

test('a save needs as many statements for many assets as for few', async () => {
  const services = over('in-process')
  const upload = createUploader(services, blobs)
  const { project_id } = await addReview(services, anna)
  const source = await services.guides.createGuide({ body: { project_id } }, anna.call)
  const made = []
  for (let n = 0; n < 4; n++) made.push((await upload(source.id, png, anna.call)).uuid)
  const counted = async (uuids: string[]) => {
    const { project_id } = await addReview(services, anna)
    const { id } = await services.guides.createGuide({ body: { project_id } }, anna.call)
    const { db: watched, statements } = countStatements(db)
    const saving = over('in-process', watched).guides
    await saving.updateGuide({ id, body: { markdown: shown(...uuids) } }, anna.call)
    return statements()
  }
  expect(await counted(made)).toBe(await counted(made.slice(0, 1)))
})

describe('an asset copied while its source is deleted', async () => {
  const services = over('in-process')
  const setUp = async () => {
    const { project_id } = await addReview(services, anna)
    const guide = await services.guides.createGuide({ body: { project_id } }, anna.call)
    const { uuid } = await createUploader(services, blobs)(guide.id, png, anna.call)
    const { key } = await services.guides.getAssetFile({ uuid }, anna.call)
    return { guide, uuid, key }
  }
  const stateOf = async (key: string) => {
    const blob = db.selectFrom('blobs').select('state').where('key', '=', key)
    return (await blob.executeTakeFirst())?.state
  }

  test('keeps the stored object when the copy came first', async () => {
    const { guide, uuid, key } = await setUp()
    await db.transaction().execute(async (tx) => {
      expect(await lockLive(tx, [key])).toEqual(new Set([key]))
      await services.guides.deleteAsset({ uuid }, anna.call)
      await markUnusedDead(db, new Date())
      const { filename, media_type, bytes } = png
      const row = { uuid: randomUUID(), guide_id: guide.id, filename, media_type, key }
      await insertAssets(tx, [{ ...row, size: bytes.length }])
    })
    await markUnusedDead(db, new Date())
    expect(await stateOf(key)).toBe('live')
  })

  test('is not copied when the stored object is already dead; the text stays unchanged', async () => {
    const { uuid, key } = await setUp()
    await db.updateTable('blobs').set({ state: 'dead' }).where('key', '=', key).execute()
    const { project_id } = await addReview(services, anna)
    const body = { project_id, markdown: shown(uuid) }
    expect(await services.guides.createGuide({ body }, anna.call)).toMatchObject(body)
  })

  test('marks the stored object dead when the last copy is deleted', async () => {
    const { uuid, key } = await setUp()
    await services.guides.deleteAsset({ uuid }, anna.call)
    await markUnusedDead(db, new Date())
    expect(await stateOf(key)).toBe('dead')
  })
})
