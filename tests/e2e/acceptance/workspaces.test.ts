import { startReceiver, type TestReceiver } from '@reticle/kit/testing/receiver'
import { addPerson } from '@reticle/standalone/administrator'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Workspaces over HTTP, with a real webhook receiver. See docs/spec/access.md#organizations. */

vi.setConfig({ testTimeout: 90_000 })

let reticle: ServerUnderTest
let receiver: TestReceiver
let admin: ApiClient
const ids: Record<string, number> = {}
const names = ['olga', 'mia', 'sven', 'wim', 'strange']
beforeAll(async () => {
  reticle = await shareReticle()
  receiver = await startReceiver()
  admin = reticle.admin
  for (const name of names) await addClient(name)
})
afterAll(async () => {
  await receiver.close()
})

const emailOf = (name: string) => `${name}@workspaces.example`
const passwordOf = (name: string) => `a-password-of-${name}`
async function addClient(name: string) {
  const person = { username: name, password: passwordOf(name), email: emailOf(name) }
  await addPerson(await reticle.people(), { ...person, role: 'user' })
  ids[name] = (await as(name).done('GET', '/users/self')).id
}

let signIns = 0
/** Signs in with a new spelling of the e-mail address each time: a gateway caches roles for seconds. */
function as(name: string): ApiClient {
  const spelt = inCapitals(emailOf(name), ++signIns)
  const credential = Buffer.from(`${spelt}:${passwordOf(name)}`).toString('base64')
  return createApiClient(`${reticle.url}/api`, `Basic ${credential}`)
}

/** Capitalizes the letters whose bit is set in the number. */
const inCapitals = (text: string, number: number) =>
  [...text].map((letter, at) => ((number >> at) & 1 ? letter.toUpperCase() : letter)).join('')

/** Creates an organization of olga with a maintainer, a supervisor and a worker. Its slug must be unused. */
async function addOrganization(slug: string): Promise<AnyJson> {
  const organization = await as('olga').done('POST', '/organizations', { json: { slug } })
  const roles = { mia: 'maintainer', sven: 'supervisor', wim: 'worker' }
  for (const [name, role] of Object.entries(roles)) {
    const json = { email: emailOf(name), role }
    await as('olga').done('POST', `/invitations?org=${slug}`, { json })
  }
  return organization
}

/** Messages that the receiver got on a path, in the order of arrival. */
const messagesOn = (path: string): AnyJson[] =>
  receiver.received
    .filter((one) => one.path === path)
    .map(({ body }) => JSON.parse(body.toString()))

/** Waits until exactly these events have arrived on a path, in any order. */
async function waitFor(path: string, events: string[]): Promise<AnyJson[]> {
  const arrived = () => messagesOn(path).map(({ event }) => event)
  await expect.poll(() => arrived().sort(), { timeout: 60_000 }).toEqual([...events].sort())
  return messagesOn(path)
}

/** Creates a webhook that sends to the path `place` of the receiver. */
const addWebhook = (api: ApiClient, path: string, given: AnyJson, query = '') =>
  api.done('POST', `/webhooks${query}`, { json: { target_url: receiver.url + path, ...given } })

const allOf = (...resources: string[]) =>
  resources.flatMap((one) => ['create', 'update', 'delete'].map((verb) => `${verb}:${one}`))

const status = async (api: ApiClient, method: string, path: string, sent = {}) =>
  (await api.call(method, path, sent)).status

/** Runs a function while an export of the task is under way. */
async function whileExporting(api: ApiClient, task: AnyJson, run: () => Promise<void>) {
  const shapes = Array.from({ length: 20_000 }, (_, at) => rectangle(task.labels[0].id, at % 4))
  await api.done('PUT', `/tasks/${task.id}/annotations/`, { json: { shapes } })
  const { rq_id } = await api.done('POST', `/tasks/${task.id}/dataset/export?format=COCO%201.0`)
  await run()
  await api.ended(rq_id)
}

describe('the organization of a call', () => {
  const project: Record<string, number> = {}
  let acme: AnyJson
  beforeAll(async () => {
    acme = await addOrganization('six')
    const make = async (query: string) =>
      (await as('olga').done('POST', `/projects${query}`, { json: { name: `six${query}` } })).id
    project.acme = await make('?org=six')
    project.own = await make('')
  })
  const header = (slug: string) => ({ headers: { 'x-organization': slug } })
  const seen = async (api: ApiClient, query: string, sent = {}) => {
    const { results } = await api.done('GET', `/projects${query}`, sent)
    const found: number[] = results.map(({ id }: AnyJson) => id)
    const known = Object.entries(project).filter(([, id]) => found.includes(id))
    return known.map(([name]) => name).join(' ')
  }

  test('header, org and org_id name the same workspace, and equal values may be combined', async () => {
    const olga = as('olga')
    expect(await seen(olga, '?org=six')).toBe('acme')
    expect(await seen(olga, `?org_id=${acme.id}`)).toBe('acme')
    expect(await seen(olga, '', header('six'))).toBe('acme')
    expect(await seen(olga, '?org=six', header('six'))).toBe('acme')
    const made = await olga.done('POST', '/tasks', { json: { name: 't' }, ...header('six') })
    expect(made).toMatchObject({ organization: acme.id, organization_id: acme.id })
  })

  test('an empty name is the personal workspace, and no name means all workspaces', async () => {
    const olga = as('olga')
    expect(await seen(olga, '?org=')).toBe('own')
    expect(await seen(olga, '?org_id=')).toBe('own')
    expect(await seen(olga, '', header(''))).toBe('own')
    expect(await seen(olga, '')).toBe('acme own')
    expect(await seen(as('wim'), '')).toBe('')
    expect(await seen(admin, '?page_size=all')).toBe('acme own')
  })

  test('contradicting names are refused', async () => {
    const olga = as('olga')
    expect(await status(olga, 'GET', '/projects?org=six', header('other'))).toBe(400)
    expect(await status(olga, 'GET', '/projects?org=six', header(''))).toBe(400)
    expect(await status(olga, 'GET', `/projects?org=six&org_id=${acme.id}`)).toBe(400)
    expect(await status(olga, 'GET', `/projects?org_id=${acme.id}`, header('six'))).toBe(400)
    expect(await status(olga, 'GET', '/projects?org_id=six')).toBe(400)
  })

  test('an unknown organization is answered 404 for every call', async () => {
    for (const path of ['/projects?org=nosuch', `/projects/${project.own}?org_id=999999`]) {
      const answer = await as('olga').call('GET', path)
      expect(answer.status).toBe(404)
      expect(answer.body.detail).toMatch(/^(nosuch|999999) organization does not exist\.$/)
    }
    expect(await status(as('olga'), 'GET', '/projects', header('nosuch'))).toBe(404)
  })

  test('only members can list and create in an organization, and administrators can too', async () => {
    const strange = as('strange')
    expect(await status(strange, 'GET', '/projects?org=six')).toBe(404)
    const json = { name: 'x' }
    expect(await status(strange, 'POST', '/projects?org=six', { json })).toBe(404)
    expect(await status(as('wim'), 'GET', '/projects?org=six')).toBe(200)
    expect(await status(as('wim'), 'POST', '/projects?org=six', { json })).toBe(403)
    expect(await status(as('sven'), 'POST', '/projects?org=six', { json })).toBe(201)
    expect(await status(admin, 'GET', '/projects?org=six')).toBe(200)
  })

  test('access to an object depends on its own organization, not on the named one', async () => {
    const foreign = await as('strange').done('POST', '/organizations', { json: { slug: 'six-b' } })
    const path = `/projects/${project.acme}`
    expect(await status(as('olga'), 'GET', `${path}?org=six-b`)).toBe(404)
    expect(await status(as('olga'), 'GET', `${path}?org=`)).toBe(200)
    expect(await status(as('strange'), 'GET', `${path}?org_id=${foreign.id}`)).toBe(403)
    expect(await status(as('strange'), 'GET', `${path}?org=six`)).toBe(404)
  })

  test('for requests the organization is a filter, and the header is ignored', async () => {
    const olga = as('olga')
    const json = { name: 'labelled', labels: [{ name: 'car' }] }
    const { id: project_id } = await olga.done('POST', '/projects?org=six', { json })
    const { id } = await taskWithMedia(olga, { project_id })
    const { rq_id } = await olga.done('POST', `/tasks/${id}/dataset/export?format=COCO%201.0`)
    const found = async (given: string, sent = {}) => {
      const { results } = await olga.done('GET', `/requests${given}`, sent)
      return results.some((one: AnyJson) => one.id === rq_id)
    }
    expect(await found('?org=six')).toBe(true)
    expect(await found(`?org_id=${acme.id}`)).toBe(true)
    expect(await found('?org=')).toBe(false)
    expect(await found('?org=nosuch')).toBe(false)
    expect(await found('', header('nosuch'))).toBe(true)
  })
})

describe('transferring and deleting organizations', () => {
  test('a transfer sends events to webhooks and makes the former owner a maintainer', async () => {
    const { id } = await addOrganization('twelve-a')
    const hook = { type: 'organization', events: 'update:organization,update:membership' }
    await addWebhook(as('olga'), '/twelve-a', hook, '?org=twelve-a')
    const json = { user_id: ids.mia }
    const after = await as('olga').done('POST', `/organizations/${id}/transfer`, { json })
    expect(after.owner.username).toBe('mia')
    const all = await waitFor('/twelve-a', [
      ...['update:organization', 'update:membership', 'update:membership'],
    ])
    const changed = all.find(({ event }) => event === 'update:organization')
    const roles = all.filter(({ membership }) => membership)
    expect(changed).toMatchObject({
      organization: { id, slug: 'twelve-a', owner: { username: 'mia' } },
      before_update: { owner: { username: 'olga' } },
      sender: { username: 'olga', email: emailOf('olga') },
    })
    const rolesByName = roles.map(({ membership: { user, role } }) => [user.username, role])
    expect(rolesByName.sort()).toEqual([
      ['mia', 'owner'],
      ['olga', 'maintainer'],
    ])
    expect(await status(as('olga'), 'DELETE', `/organizations/${id}`)).toBe(403)
    expect(await status(as('mia'), 'DELETE', `/organizations/${id}`)).toBe(204)
  })

  test('deleting an organization sends events, deletes its webhooks and leaves objects to their owners', async () => {
    const { id } = await addOrganization('twelve-b')
    const olga = as('olga')
    const json = { name: 'kept', assignee_id: ids.wim }
    const project = await olga.done('POST', '/projects?org=twelve-b', { json })
    const only = { type: 'organization', events: 'delete:organization' }
    const webhook = await addWebhook(as('mia'), '/twelve-b', only, '?org=twelve-b')
    const own = { type: 'project', project_id: project.id, events: 'update:project' }
    const ofProject = await addWebhook(olga, '/twelve-b/project', own)
    expect(ofProject.organization).toBe(id)

    expect(await status(as('mia'), 'DELETE', `/organizations/${id}`)).toBe(403)
    expect(await status(olga, 'DELETE', `/organizations/${id}`)).toBe(204)
    const [deletion] = await waitFor('/twelve-b', ['delete:organization'])
    expect(deletion).toMatchObject({
      webhook_id: webhook.id,
      organization: { id, slug: 'twelve-b', owner: { username: 'olga' } },
      sender: { username: 'olga' },
    })
    await vi.waitFor(
      async () => expect(await status(admin, 'GET', `/webhooks/${webhook.id}`)).toBe(404),
      20_000,
    )
    expect(await status(olga, 'GET', '/projects?org=twelve-b')).toBe(404)
    expect(await olga.done('GET', `/projects/${project.id}`)).toMatchObject({
      ...{ organization: null, owner: { username: 'olga' }, assignee: { username: 'wim' } },
    })
    const [fallen] = await waitFor('/twelve-b/project', ['update:project'])
    expect(fallen).toMatchObject({ before_update: { organization: id } })
    const left = await olga.done('GET', `/webhooks/${ofProject.id}`)
    expect(left).toMatchObject({ organization: null, project_id: project.id })
    expect(await status(as('mia'), 'GET', `/projects/${project.id}`)).toBe(403)
    const { results } = await as('wim').done('GET', '/memberships?page_size=all')
    expect(results.filter((one: AnyJson) => one.organization === id)).toEqual([])
  })

  test('an organization can be deleted with its objects, but not while a request runs on them', async () => {
    const { id } = await addOrganization('twelve-c')
    const olga = as('olga')
    const json = { name: 'going', labels: [{ name: 'car' }] }
    const project = await olga.done('POST', '/projects?org=twelve-c', { json })
    const task = await taskWithMedia(olga, { project_id: project.id })
    await whileExporting(olga, task, async () => {
      const answer = await olga.call('DELETE', `/organizations/${id}?objects=delete`)
      expect([answer.status, answer.body.detail]).toEqual([
        409,
        expect.stringMatching(/^Background processes of the organization are still running/),
      ])
    })
    expect(await status(olga, 'DELETE', `/organizations/${id}?objects=delete`)).toBe(204)
    expect(await status(admin, 'GET', `/projects/${project.id}`)).toBe(404)
    expect(await status(admin, 'GET', `/tasks/${task.id}`)).toBe(404)
  })
})

describe('moving a project between workspaces', () => {
  let from: AnyJson
  let to: AnyJson
  beforeAll(async () => {
    from = await addOrganization('from')
    to = await addOrganization('to')
  })
  const labels = [{ name: 'car' }]
  const move = (api: ApiClient, id: number, organization_id: number | null, more = {}) =>
    api.call('PATCH', `/projects/${id}`, { json: { organization_id, ...more } })

  /** Creates a project of olga in `from`. The project, its task and its jobs are assigned to wim. */
  async function addProject(): Promise<AnyJson> {
    const olga = as('olga')
    const assignee_id = ids.wim
    const json = { name: 'moving', labels, assignee_id, target_storage: { location: 'local' } }
    const project = await olga.done('POST', '/projects?org=from', { json })
    const task = await taskWithMedia(olga, { project_id: project.id, segment_size: 2 })
    await olga.done('PATCH', `/tasks/${task.id}`, { json: { assignee_id } })
    for (const { id } of await jobsOf(olga, task.id))
      await olga.done('PATCH', `/jobs/${id}`, { json: { assignee: assignee_id } })
    return { ...project, task }
  }

  test('the user who moves a project becomes its owner, assignees are removed, storages are kept', async () => {
    const { id, task } = await addProject()
    const mia = as('mia')
    expect(
      await status(as('sven'), 'PATCH', `/projects/${id}`, {
        json: { organization_id: null },
      }),
    ).toBe(403)
    const answer = await move(mia, id, to.id)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toMatchObject({
      ...{ organization: to.id, organization_id: to.id, owner: { username: 'mia' } },
      ...{ assignee: null, source_storage: null, target_storage: { location: 'local' } },
    })
    expect(await mia.done('GET', `/tasks/${task.id}`)).toMatchObject({
      ...{ organization: to.id, owner: { username: 'mia' }, assignee: null },
    })
    const jobs = await jobsOf(mia, task.id)
    expect(jobs.map((one) => [one.organization, one.assignee])).toEqual([
      [to.id, null],
      [to.id, null],
    ])
    expect(await status(as('wim'), 'GET', `/jobs/${jobs[0].id}`)).toBe(403)
    const back = await move(mia, id, null)
    expect(back.body).toMatchObject({ organization: null, owner: { username: 'mia' } })
    expect(await status(as('olga'), 'GET', `/projects/${id}`)).toBe(403)
  })

  test('webhooks move with the project, and both organizations see the move but only their own events', async () => {
    const { id } = await addProject()
    const olga = as('olga')
    const ofMove = (verb: string) =>
      ['project', 'task', 'job', 'job'].map((one) => `${verb}:${one}`)
    const hook = (events: string[]) => ({ type: 'organization', events: events.join(',') })
    const left = await addWebhook(olga, '/from', hook(ofMove('delete')), '?org=from')
    const all = hook(allOf('project', 'task', 'job'))
    const entered = await addWebhook(olga, '/to', all, '?org=to')
    const own = { type: 'project', project_id: id, events: 'update:project' }
    const webhook = await addWebhook(olga, '/own', own)
    expect(webhook.organization).toBe(from.id)

    expect((await move(olga, id, to.id)).status).toBe(200)
    const deletion = await waitFor('/from', ofMove('delete'))
    const come = await waitFor('/to', ofMove('create'))
    const [followed] = await waitFor('/own', ['update:project'])
    expect(deletion.find(({ event }) => event === 'delete:project')).toMatchObject({
      ...{ webhook_id: left.id, project: { id, organization: from.id } },
    })
    expect(come.find(({ event }) => event === 'create:project')).toMatchObject({
      ...{ webhook_id: entered.id, project: { id, organization: to.id } },
    })
    expect(followed).toMatchObject({
      before_update: { organization: from.id, assignee: { username: 'wim' } },
    })
    expect(await olga.done('GET', `/webhooks/${webhook.id}`)).toMatchObject({ organization: to.id })
    const { results } = await olga.done('GET', '/webhooks?org=to')
    expect(results.map((one: AnyJson) => one.id)).toContain(webhook.id)

    expect((await move(olga, id, null)).status).toBe(200)
    await olga.done('PATCH', `/projects/${id}`, { json: { name: 'personal' } })
    await waitFor('/own', Array(3).fill('update:project'))
    await waitFor('/to', [...ofMove('create'), ...ofMove('delete')])
    await waitFor('/from', ofMove('delete'))
  })

  test('a project cannot move while a request runs, nor to a workspace where the user may not create', async () => {
    const { id, task } = await addProject()
    const olga = as('olga')
    await whileExporting(olga, task, async () => {
      const answer = await move(olga, id, to.id)
      expect([answer.status, answer.body]).toEqual([
        400,
        [expect.stringMatching(/^Background processes are still running/)],
      ])
    })
    const strange = await as('strange').done('POST', '/organizations', { json: { slug: 'closed' } })
    expect((await move(olga, id, strange.id)).status).toBe(403)
    const unknown = await move(olga, id, 999_999)
    expect([unknown.status, Object.keys(unknown.body)]).toEqual([400, ['organization_id']])
    const both = await move(olga, id, to.id, { name: 'x' })
    expect([both.status, Object.keys(both.body)]).toEqual([400, ['name']])
    const alone = await olga.call('PATCH', `/tasks/${task.id}`, { json: { organization_id: null } })
    expect([alone.status, Object.keys(alone.body)]).toEqual([400, ['organization_id']])
    expect((await olga.done('GET', `/projects/${id}`)).organization).toBe(from.id)
    expect((await move(olga, id, to.id)).status).toBe(200)
  })

  test('a task can move alone, and its requests are found in the new workspace', async () => {
    const olga = as('olga')
    const { id } = await taskWithMedia(olga)
    const { rq_id } = await olga.done('POST', `/tasks/${id}/dataset/export?format=COCO%201.0`)
    await olga.ended(rq_id)
    const json = { organization_id: to.id }
    expect(await olga.done('PATCH', `/tasks/${id}`, { json })).toMatchObject({
      ...{ organization: to.id, assignee: null, owner: { username: 'olga' } },
    })
    await vi.waitFor(
      async () => {
        const { results } = await olga.done('GET', `/requests?org=to&task_id=${id}`)
        expect(results.map((one: AnyJson) => one.id)).toContain(rq_id)
      },
      { timeout: 60_000 },
    )
  })
})
