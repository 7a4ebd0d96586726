import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import {
  createUploader,
  keysIn,
  pdfFile,
  pictureFile,
  type TestFile,
} from '../../testing/assets.ts'
import { testOrganizations } from '../../testing/organizations.ts'
import { addReview } from '../../testing/review.ts'
import { mostAssets } from '../references.ts'

/** Calls on assets. Permissions are tested in `guides/policy.test.ts`. */

const { db, blobs, addUser, over, as, addOrganization, takeEvents } = await testOrganizations()
const [anna, bo] = [await addUser(), await addUser()]
const worker = await addUser('worker')
const forbidden = { kind: 'forbidden' }
const notThere = { kind: 'not_found' }
const png = await pictureFile('mirror.png')
const unknown = '5f0c0c1e-8f39-4a52-9c3a-2f3d7b0a9e11'

/** Adds `count` assets that share one object. */
async function fillGuide(guide_id: number, count: number) {
  const key = `projects/user/${anna.id}/assets/filler-${guide_id}`
  await db.insertInto('blobs').values({ key, kind: 'asset', state: 'live' }).execute()
  await sql`insert into assets (uuid, guide_id, filename, media_type, size, key)
    select gen_random_uuid(), ${guide_id}, 'a.png', 'image/png', 1, ${key}
    from generate_series(1, ${count})`.execute(db)
}

async function bytesAt(key: string): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of (await blobs.get(key)).chunks) pieces.push(piece)
  return Buffer.concat(pieces)
}

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { guides, projects, jobs } = services
  const upload = createUploader(services, blobs)
  const setUp = async () => {
    const made = await addReview(services, anna)
    const { id } = await guides.createGuide({ body: { project_id: made.project_id } }, anna.call)
    await takeEvents()
    return { ...made, guide_id: id }
  }
  const fileOf = (uuid: string, user = anna) => guides.getAssetFile({ uuid }, user.call)

  test('a stored asset returns the bytes of the uploaded file', async () => {
    const { guide_id } = await setUp()
    const made = await upload(guide_id, png, anna.call)
    expect(made).toEqual({
      uuid: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      filename: 'mirror.png',
      created_date: expect.any(String),
      owner: expect.objectContaining({ id: anna.id, username: anna.username }),
      guide_id,
    })
    const file = await fileOf(made.uuid)
    expect(file).toEqual({
      key: `projects/user/${anna.id}/assets/${made.uuid}`,
      size: png.bytes.length,
      filename: 'mirror.png',
      media_type: 'image/png',
      etag: `"${made.uuid}"`,
      created_date: made.created_date,
    })
    expect((await bytesAt(file.key)).equals(png.bytes)).toBe(true)
    expect(await takeEvents()).toEqual([])
  })

  test('an asset of an organization is stored under the organization', async () => {
    const { id, owner } = await addOrganization()
    const call = await as(owner, id)
    const project = await projects.createProject({ body: { name: 'p' } }, call)
    const guide = await guides.createGuide({ body: { project_id: project.id } }, call)
    const { uuid } = await upload(guide.id, pdfFile, call)
    const file = await guides.getAssetFile({ uuid }, call)
    expect(file).toMatchObject({
      key: `projects/org/${id}/assets/${uuid}`,
      media_type: 'application/pdf',
    })
  })

  test('a large image is scaled down before it is stored', async () => {
    const { guide_id } = await setUp()
    const large = await pictureFile('large.png', { width: 4000, height: 20 })
    const { uuid } = await upload(guide_id, large, anna.call)
    const { key, size } = await fileOf(uuid)
    const kept = await bytesAt(key)
    expect(kept.length).toBe(size)
    expect(await sharp(kept).metadata()).toMatchObject({ width: 1920, height: 10, format: 'png' })
  })

  test.each<[string, Partial<TestFile>]>([
    ['a name of another kind', { filename: 'mirror.jpg' }],
    ['another declaration', { media_type: 'image/gif' }],
    ['another content', { bytes: pdfFile.bytes }],
    ['no kind of asset', { filename: 'a.svg', media_type: 'image/svg+xml' }],
    ['a picture that cannot be read', { bytes: png.bytes.subarray(0, 20) }],
  ])('%s is rejected and nothing is stored', async (_, given) => {
    const { guide_id } = await setUp()
    const before = (await keysIn(blobs)).filter((key) => key.includes('/assets/'))
    await expect(upload(guide_id, { ...png, ...given }, anna.call)).rejects.toMatchObject({
      kind: 'invalid',
      body: { file: [expect.any(String)] },
    })
    const after = (await keysIn(blobs)).filter((key) => key.includes('/assets/'))
    expect(after).toEqual(before)
  })

  test('a missing guide is an invalid value; a guide of another user is forbidden', async () => {
    const { guide_id } = await setUp()
    await expect(upload(999_999, png, anna.call)).rejects.toMatchObject({
      kind: 'invalid',
      body: { guide_id: ['Invalid pk "999999" - object does not exist.'] },
    })
    await expect(upload(guide_id, png, bo.call)).rejects.toMatchObject(forbidden)
  })

  test('the assignee of a job reads assets but cannot change them', async () => {
    const { guide_id, job } = await setUp()
    const { uuid } = await upload(guide_id, png, anna.call)
    await expect(fileOf(uuid, worker)).rejects.toMatchObject(forbidden)
    await db.updateTable('jobs').set({ assignee_id: worker.id }).where('id', '=', job).execute()
    expect(await jobs.getJob({ id: job }, worker.call)).toMatchObject({ guide_id })
    expect(await fileOf(uuid, worker)).toMatchObject({ filename: 'mirror.png' })
    await expect(upload(guide_id, png, worker.call)).rejects.toMatchObject(forbidden)
    const removal = guides.deleteAsset({ uuid }, worker.call)
    await expect(removal).rejects.toMatchObject(forbidden)
  })

  test('missing assets are not found; assets of other users are forbidden', async () => {
    const { guide_id } = await setUp()
    const { uuid } = await upload(guide_id, png, anna.call)
    await expect(fileOf(unknown)).rejects.toMatchObject(notThere)
    const none = guides.deleteAsset({ uuid: unknown }, anna.call)
    await expect(none).rejects.toMatchObject(notThere)
    await expect(fileOf(uuid, bo)).rejects.toMatchObject(forbidden)
    await expect(guides.deleteAsset({ uuid }, bo.call)).rejects.toMatchObject(forbidden)
    expect(await fileOf(uuid)).toMatchObject({ size: png.bytes.length })
  })

  test('a deleted asset cannot be read or deleted again', async () => {
    const { guide_id } = await setUp()
    const { uuid } = await upload(guide_id, png, anna.call)
    await guides.deleteAsset({ uuid }, anna.call)
    await expect(fileOf(uuid)).rejects.toMatchObject(notThere)
    await expect(guides.deleteAsset({ uuid }, anna.call)).rejects.toMatchObject(notThere)
  })

  test('concurrent uploads cannot exceed 150 assets of a guide', async () => {
    const { guide_id } = await setUp()
    await fillGuide(guide_id, mostAssets - 2)
    const arrived = await Promise.allSettled(
      [1, 2, 3, 4, 5].map(() => upload(guide_id, png, anna.call)),
    )
    const refused = arrived.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused).toHaveLength(3)
    for (const reason of refused)
      expect(reason).toMatchObject({
        kind: 'invalid',
        body: { guide_id: [expect.stringContaining('150 assets')] },
      })
    const { count } = await db
      .selectFrom('assets')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('guide_id', '=', guide_id)
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(mostAssets)
  })

  test('an upload of another user cannot be stored as an asset', async () => {
    const { guide_id } = await setUp()
    const { upload_id, prefix } = await guides.openAssetUpload({}, bo.call)
    expect(prefix).toBe(`projects/user/${bo.id}/uploads/${upload_id}/`)
    const { filename, media_type } = png
    const body = { upload_id, guide_id, filename, media_type }
    await expect(guides.storeAsset({ body }, anna.call)).rejects.toMatchObject({
      kind: 'invalid',
      body: { file: [expect.any(String)] },
    })
  })
})

test('reading an asset needs one statement', async () => {
  const services = over('in-process')
  const { project_id } = await addReview(services, anna)
  const { id } = await services.guides.createGuide({ body: { project_id } }, anna.call)
  const { uuid } = await createUploader(services, blobs)(id, png, anna.call)
  const { db: watched, statements } = countStatements(db)
  await over('in-process', watched).guides.getAssetFile({ uuid }, anna.call)
  expect(statements()).toBe(1)
})
