import { restOperations } from '@reticle/contracts'
import { startS3 } from '@reticle/kit/testing/s3-server'
import { addPerson } from '@reticle/standalone/administrator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodies, queries } from '../support/accepted.ts'
import { bucketOf } from '../support/buckets.ts'
import { type Client, client, type Json } from '../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../support/factories.ts'
import { annotationFile, assetForm, formOf, picture, pictures } from '../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../support/reticle.ts'

/** Every route with an id, tried by somebody who has nothing to do with the object. */
const stranger = {
  username: 'stranger',
  password: 'a-strange-password',
  email: 's@example.org',
  role: 'user' as const,
}
const { path, remove } = dataDirectory()
let reticle: Reticle
let visitor: Client
const store = await startS3()
const ids: Record<string, string> = {}
beforeAll(async () => {
  reticle = await startReticle(path)
  await addPerson(await reticle.people(), stranger)
  const basic = Buffer.from(`${stranger.username}:${stranger.password}`).toString('base64')
  visitor = client(`${reticle.url}/api`, `Basic ${basic}`)
  await fill(reticle.admin)
})
afterAll(async () => {
  await reticle.stop()
  await store.close()
  remove()
})

async function fill(admin: Client) {
  const labels = [{ name: 'canary' }]
  const project = await admin.done('POST', '/projects', { json: { name: 'canary', labels } })
  const task = await taskWithMedia(admin, { project_id: project.id })
  const [job] = await jobsOf(admin, task.id)
  const [label] = project.labels
  await admin.done('PUT', `/tasks/${task.id}/annotations/`, {
    json: { shapes: [rectangle(label.id)] },
  })
  const hook = {
    type: 'project',
    project_id: project.id,
    target_url: 'http://127.0.0.1:9/',
    events: 'update:project',
  }
  const webhook = await admin.done('POST', '/webhooks', { json: hook })
  const token = await admin.done('POST', '/auth/access_tokens', { json: { name: 'canary' } })
  const pinned = { job: job.id, frame: 0, position: [1, 2, 3, 4], message: 'canary' }
  const issue = await admin.done('POST', '/issues', { json: pinned })
  const comments = await admin.done('GET', `/comments?issue_id=${issue.id}`)
  const guide = await admin.done('POST', '/guides', {
    json: { project_id: project.id, markdown: 'canary' },
  })
  const form = assetForm(guide.id, await picture('canary.png', 8, 8))
  const asset = await admin.done('POST', '/assets', { form })
  const bucket = { ...bucketOf(store, 'frames'), display_name: 'canary' }
  const cloud = await admin.done('POST', '/cloudstorages', { json: bucket })
  const organization = await admin.done('POST', '/organizations', { json: { slug: 'canary' } })
  const [membership] = (await admin.done('GET', '/memberships?org=canary')).results
  const invitation = await admin.done('POST', '/invitations?org=canary', {
    json: { email: 'canary@example.org', role: 'worker' },
  })
  const exported = await admin.done('POST', `/tasks/${task.id}/dataset/export?format=COCO%201.0`)
  await admin.finished(exported)
  Object.assign(ids, {
    projects: project.id,
    tasks: task.id,
    jobs: job.id,
    labels: label.id,
    webhooks: webhook.id,
    issues: issue.id,
    comments: comments.results[0].id,
    guides: guide.id,
    assets: asset.uuid,
    cloudstorages: cloud.id,
    users: (await admin.done('GET', '/users/self')).id,
    organizations: organization.id,
    memberships: membership.id,
    invitations: invitation.key,
    auth: token.id,
    requests: exported.rq_id,
  })
}

const isGone = 410
const closed = restOperations.filter((one) => one.access !== 'anyone' && one.success !== isGone)
const withId = closed
  .filter((one) => one.path.includes(':'))
  .map((one) => [`${one.method} ${one.path}`, one] as const)
const collections = closed.filter(
  (one) => one.method === 'GET' && !one.path.includes(':') && one.name.startsWith('list'),
)

const filled = (route: string) => {
  const [, first = ''] = route.split('/')
  return route.replace(/:delivery_id/, '1').replace(/:\w+/, encodeURIComponent(String(ids[first])))
}

describe.each(withId)('%s', (_, { name, method, path: route }) => {
  test('is refused to a stranger, tells nothing and changes nothing', async () => {
    const form = await formFor(name)
    const json = form ? undefined : bodies[name]
    const query = name.startsWith('download')
      ? `?rq_id=${encodeURIComponent(String(ids.requests))}`
      : (queries[name] ?? '')
    const answer = await visitor.call(String(method), `${filled(route)}${query}`, { json, form })
    const status = tellsNothing.test(route) ? 404 : 403
    expect([answer.status, answer.text.includes('canary')], answer.text).toEqual([status, false])
  })
})

/** People outside of these are told that there are none (`spec/api-workspace.md` 1.4). */
const tellsNothing = /^\/(?:organizations|invitations)\//

async function formFor(name: string): Promise<FormData | undefined> {
  if (name === 'uploadTaskData') return formOf(await pictures(1))
  return name.startsWith('import') ? annotationFile('{}', 'a.json') : undefined
}

test.each(collections.map((one) => [one.path, queries[one.name] ?? '?']))(
  'GET %s shows a stranger nothing of others',
  async (route, query) => {
    const { status, body, text } = await visitor.call('GET', `${route}${query}&page_size=all`)
    if (!Array.isArray(body?.results)) return expect(status).toBe(200) // formats belong to nobody
    const own = body.results.filter((one: Json) => one.username === stranger.username)
    expect([status, text.includes('canary')]).toEqual([200, false])
    expect(body.results).toEqual(own) // everybody is a user, and sees themselves
  },
)

test('after all of that everything is still there', async () => {
  const { shapes } = await reticle.admin.done('GET', `/tasks/${ids.tasks}/annotations/`)
  expect(shapes.length).toBe(1)
  const review = ['issues', 'comments', 'guides', 'assets', 'cloudstorages']
  const others = ['webhooks', 'organizations', 'memberships', 'invitations']
  for (const name of ['projects', 'tasks', 'jobs', 'labels', ...review, ...others])
    expect((await reticle.admin.call('GET', `/${name}/${ids[name]}`)).status, name).toBe(200)
  expect((await reticle.admin.done('GET', '/tasks')).count).toBe(1)
})
