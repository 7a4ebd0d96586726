import { addPerson } from '@reticle/standalone/administrator'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf, taskWithMedia } from '../../support/factories.ts'
import { assetForm, createImage } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Issues, comments, guides and assets. See docs/spec/workspace.md#issues. */
const outsider = {
  username: 'outsider',
  password: 'a-password-of-an-outsider',
  email: 'outsider@example.org',
  role: 'user' as const,
}
let reticle: ServerUnderTest
let admin: ApiClient
let stranger: ApiClient
let anonymous: ApiClient
let project: AnyJson
let task: AnyJson
let jobs: AnyJson[]
beforeAll(async () => {
  reticle = await shareReticle()
  admin = reticle.admin
  await addPerson(await reticle.people(), outsider)
  const basic = Buffer.from(`${outsider.username}:${outsider.password}`).toString('base64')
  stranger = createApiClient(`${reticle.url}/api`, `Basic ${basic}`)
  anonymous = createApiClient(`${reticle.url}/api`)
  project = await newProject()
  task = await taskWithMedia(admin, { project_id: project.id, segment_size: 2 })
  jobs = await jobsOf(admin, task.id)
})

const newProject = () =>
  admin.done('POST', '/projects', { json: { name: 'street', labels: [{ name: 'car' }] } })
const newGuide = async (markdown = '') => {
  const { id: project_id } = await newProject()
  return admin.done('POST', '/guides', { json: { project_id, markdown } })
}
const newIssue = (given: AnyJson = {}) => {
  const json = { job: jobs[0].id, frame: 0, position: [1, 2, 3, 4], message: 'm', ...given }
  return admin.call('POST', '/issues', { json })
}
const addAsset = async (guide_id: number, name = 'mirror.png') => {
  const form = assetForm(guide_id, { ...(await createImage('a', 8, 8)), name })
  return admin.done('POST', '/assets', { form })
}
const shown = (uuids: string[]) => uuids.map((uuid) => `![](/api/assets/${uuid})`).join('\n')
const sends = (method: string, route: string) => async (json: AnyJson) => {
  const answer = await admin.call(method, route, { json })
  return [answer.status, Object.keys(answer.body ?? {})]
}

test('an issue on a frame outside of its job is answered 400, also in a ground truth job', async () => {
  expect((await newIssue({ frame: 1 })).status).toBe(201)
  for (const frame of [-1, 2, 4]) {
    const { status, body } = await newIssue({ frame })
    expect([status, Object.keys(body)]).toEqual([400, ['frame']])
  }
  expect((await newIssue({ job: jobs[1].id, frame: 2 })).status).toBe(201)
  const chosen = { frame_selection_method: 'manual', frames: [1, 3] }
  const truth = await admin.done('POST', '/jobs', {
    json: { type: 'ground_truth', task_id: task.id, ...chosen },
  })
  expect((await newIssue({ job: truth.id, frame: 3 })).status).toBe(201)
  const outside = await newIssue({ job: truth.id, frame: 2 })
  expect([outside.status, Object.keys(outside.body)]).toEqual([400, ['frame']])
})

test('the message of an issue becomes its first comment', async () => {
  const { status, body: issue } = await newIssue({ message: 'Box cuts the mirror' })
  expect([status, issue.comments]).toEqual([
    201,
    { count: 1, url: `${reticle.url}/api/comments?issue_id=${issue.id}` },
  ])
  const { count, results } = await admin.done('GET', issue.comments.url)
  expect([count, results[0].message]).toEqual([1, 'Box cuts the mirror'])
  expect(results[0]).toMatchObject({ issue: issue.id, owner: { username: 'admin' } })
  await admin.done('DELETE', `/comments/${results[0].id}`)
  expect((await admin.done('GET', `/issues/${issue.id}`)).comments.count).toBe(0)
})

test('an issue is read, changed and deleted, and an invalid field is answered 400 under its name', async () => {
  const tries = sends('POST', '/issues')
  const whole = { job: jobs[0].id, frame: 0, position: [1, 2, 3, 4], message: 'm' }
  for (const [field, json] of [
    ['job', { ...whole, job: undefined }],
    ['job', { ...whole, job: 999_999 }],
    ['frame', { ...whole, frame: undefined }],
    ['position', { ...whole, position: undefined }],
    ['position', { ...whole, position: [] }],
    ['position', { ...whole, position: [1, 2, 3] }],
    ['message', { ...whole, message: undefined }],
    ['message', { ...whole, message: ' ' }],
    ['message', { ...whole, message: 'x'.repeat(10_001) }],
    ['assignee', { ...whole, assignee: 999_999 }],
  ] as const)
    expect(await tries(json), field).toEqual([400, [field]])

  const { body: issue } = await newIssue()
  expect(Object.keys(issue).sort()).toEqual(
    ['assignee', 'comments', 'created_date', 'frame', 'id', 'job', 'owner', 'position'].concat([
      'resolved',
      'updated_date',
    ]),
  )
  const route = `/issues/${issue.id}`
  const ignored = { job: jobs[1].id, frame: 1, message: 'x', owner: null }
  const json = { resolved: true, position: [5, 6], assignee: issue.owner.id, ...ignored }
  const changed = await admin.done('PATCH', route, { json })
  expect(changed).toMatchObject({
    ...{ job: issue.job, frame: issue.frame, owner: issue.owner, comments: { count: 1 } },
    ...{ resolved: true, position: [5, 6], assignee: { username: 'admin' } },
  })
  const { results } = await admin.done('GET', `/issues?job_id=${issue.job}&resolved=true`)
  expect(results.map(({ id }: AnyJson) => id)).toContain(issue.id)
  expect((await admin.call('PUT', route, { json })).status).toBe(405)
  expect((await admin.call('DELETE', route)).status).toBe(204)
  expect((await admin.call('GET', route)).status).toBe(404)
})

test('comments are created, changed and deleted, and change the date of their issue', async () => {
  const { body: issue } = await newIssue()
  const tries = sends('POST', '/comments')
  expect(await tries({ issue: issue.id, message: '' })).toEqual([400, ['message']])
  expect(await tries({ issue: 999_999, message: 'm' })).toEqual([400, ['issue']])
  const json = { issue: issue.id, message: 'x'.repeat(10_000) }
  const comment = await admin.done('POST', '/comments', { json })
  const route = `/comments/${comment.id}`
  const moved = await admin.done('GET', `/issues/${issue.id}`)
  expect(moved.updated_date > issue.updated_date).toBe(true)
  const changed = await admin.done('PATCH', route, { json: { message: 'new', issue: 999_999 } })
  expect(changed).toMatchObject({ message: 'new', issue: issue.id })
  expect(await admin.done('GET', route)).toEqual(changed)
  expect((await admin.call('DELETE', route)).status).toBe(204)
  expect((await admin.call('GET', route)).status).toBe(404)
})

test('a guide that refers to 151 assets is answered 400, and so is uploading a 151st asset', async () => {
  const guide = await newGuide()
  const uuids: string[] = []
  while (uuids.length < 150) {
    const ten = await Promise.all(Array.from({ length: 10 }, () => addAsset(guide.id)))
    uuids.push(...ten.map(({ uuid }) => uuid))
  }
  const form = assetForm(guide.id, await createImage('a.png', 8, 8))
  const another = await admin.call('POST', '/assets', { form })
  expect([another.status, Object.keys(another.body)]).toEqual([400, ['guide_id']])

  const route = `/guides/${guide.id}`
  const markdown = shown(uuids)
  expect(await admin.done('PATCH', route, { json: { markdown } })).toMatchObject({ markdown })
  const unknown = '5f0c0c1e-8f39-4a52-9c3a-2f3d7b0a9e11'
  const tries = sends('PATCH', route)
  expect(await tries({ markdown: shown([...uuids, unknown]) })).toEqual([400, ['markdown']])
  expect(await admin.done('GET', route)).toMatchObject({ markdown })
}, 120_000)

test('a second guide of a target is answered 409, and both or none of the targets 400', async () => {
  const { id: project_id } = await newProject()
  const guide = await admin.done('POST', '/guides', { json: { project_id } })
  expect(guide).toMatchObject({ project_id, task_id: null, markdown: '' })
  const again = await admin.call('POST', '/guides', { json: { project_id } })
  expect(again.status).toBe(409)
  expect((await admin.done('GET', `/projects/${project_id}`)).guide_id).toBe(guide.id)
  for (const json of [{}, { project_id, task_id: task.id }, { task_id: 999_999 }])
    expect((await admin.call('POST', '/guides', { json })).status).toBe(400)
  expect((await admin.call('DELETE', `/guides/${guide.id}`)).status).toBe(204)
  expect((await admin.call('GET', `/guides/${guide.id}`)).status).toBe(404)
})

test('an asset whose name, declared type and content disagree is answered 400', async () => {
  const guide = await newGuide()
  const { bytes } = await createImage('a', 8, 8)
  const pdf = Buffer.from('%PDF-1.7\n')
  for (const [name, type, content] of [
    ['a.jpg', 'image/png', bytes],
    ['a.png', 'image/jpeg', bytes],
    ['a.png', 'image/png', pdf],
    ['a.pdf', 'application/pdf', bytes],
    ['a.svg', 'image/svg+xml', Buffer.from('<svg/>')],
    ['a.txt', 'text/plain', bytes],
    ['a.png', 'image/png', Buffer.alloc(0)],
    ['a.png', 'image/png', Buffer.alloc(10 * 1024 * 1024 + 1, bytes)],
  ] as const) {
    const form = assetForm(guide.id, { name, bytes: content }, type)
    const { status, body } = await admin.call('POST', '/assets', { form })
    expect([status, Object.keys(body)], `${name} ${type}`).toEqual([400, ['file']])
  }
  const unknown = await admin.call('POST', '/assets', {
    form: assetForm(999_999, { name: 'a.png', bytes }),
  })
  expect([unknown.status, Object.keys(unknown.body)]).toEqual([400, ['guide_id']])
  const fitting = { form: assetForm(guide.id, { name: 'a.pdf', bytes: pdf }, 'application/pdf') }
  expect((await admin.call('POST', '/assets', fitting)).status).toBe(201)
})

test('an asset is displayed only through its guide, and never executed', async () => {
  const guide = await newGuide()
  const large = await createImage('large.png', 2400, 1200)
  const asset = await admin.done('POST', '/assets', { form: assetForm(guide.id, large) })
  expect(asset).toEqual({
    uuid: expect.stringMatching(/^[\da-f-]{36}$/),
    filename: 'large.png',
    created_date: expect.stringMatching(/Z$/),
    owner: expect.objectContaining({ username: 'admin' }),
    guide_id: guide.id,
  })
  const route = `/assets/${asset.uuid}`
  const file = await admin.bytes(route)
  expect(file.status).toBe(200)
  expect(Object.fromEntries(file.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
  })
  expect(await sharp(file.bytes).metadata()).toMatchObject({ width: 1920, height: 960 })
  const etag = String(file.headers.get('etag'))
  expect((await admin.call('GET', route, { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect((await admin.call('GET', '/assets/7')).status).toBe(404)
  expect((await admin.call('DELETE', route)).status).toBe(204)
  expect((await admin.call('GET', route)).status).toBe(404)
})

test('a saved guide copies assets of other guides, and deletes assets that it no longer shows', async () => {
  const source = await newGuide()
  const [first, unused] = [await addAsset(source.id), await addAsset(source.id)]
  await admin.done('PATCH', `/guides/${source.id}`, { json: { markdown: shown([first.uuid]) } })
  expect((await admin.call('GET', `/assets/${unused.uuid}`)).status).toBe(404)

  const { id, markdown } = await newGuide(`# Cars\n${shown([first.uuid])}`)
  const [, copy] = /assets\/([\da-f-]{36})/.exec(markdown) ?? []
  expect(copy).not.toBe(first.uuid)
  await admin.done('DELETE', `/projects/${source.project_id}`)
  expect((await admin.call('GET', `/assets/${first.uuid}`)).status).toBe(404)
  expect((await admin.bytes(`/assets/${copy}`)).status).toBe(200)
  await admin.done('DELETE', `/guides/${id}`)
  expect((await admin.call('GET', `/assets/${copy}`)).status).toBe(404)
})

test('review data is answered 401 without credentials, and 403 to users without access', async () => {
  const { body: issue } = await newIssue()
  const { results } = await admin.done('GET', `/comments?issue_id=${issue.id}`)
  const guide = await newGuide()
  const { uuid } = await addAsset(guide.id)
  const routes = [`/issues/${issue.id}`, `/comments/${results[0].id}`, `/guides/${guide.id}`]
  for (const route of [...routes, `/assets/${uuid}`]) {
    expect((await anonymous.call('GET', route)).status, route).toBe(401)
    expect((await stranger.call('GET', route)).status, route).toBe(403)
    expect((await stranger.call('DELETE', route)).status, route).toBe(403)
    expect((await admin.call('GET', route)).status, route).toBe(200)
  }
  const form = assetForm(guide.id, await createImage('a.png', 8, 8))
  expect((await anonymous.call('POST', '/assets', { form })).status).toBe(401)
  expect((await stranger.call('POST', '/assets', { form })).status).toBe(403)
  for (const route of ['/issues', '/comments'])
    expect((await stranger.done('GET', route)).count).toBe(0)
})
