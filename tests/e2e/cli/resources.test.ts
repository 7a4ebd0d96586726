import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCliHome, signedIn } from '../../support/cli.ts'
import { createApiClient } from '../../support/client.ts'
import { taskWithMedia } from '../../support/factories.ts'
import { basicOf } from '../../support/people.ts'
import { dataDirectory, password, type Reticle, startReticle } from '../../support/reticle.ts'

const data = dataDirectory()
let reticle: Reticle
let admin: Record<string, string>

beforeAll(async () => {
  reticle = await startReticle(data.path)
  admin = await signedIn(reticle.url, reticle.admin)
})
afterAll(async () => {
  await reticle.stop()
  data.remove()
})

test('a project is created, listed, shown, changed and deleted', async () => {
  const { done, run } = createCliHome(admin)
  const labels =
    '[{"name":"bus","attributes":[{"name":"line","input_type":"text","mutable":false,"values":[]}]}]'
  const create = ['project', 'create', 'Streets', '--label', 'car', '--label', labels]
  const { id, labels: made } = (await done([...create, '--json'])).json
  expect(made).toMatchObject([{ name: 'car' }, { name: 'bus', attributes: [{ name: 'line' }] }])
  const one = ['project', 'create', 'One', '--label', '{"name":"lane","type":"polyline"}', '--json']
  expect((await done(one)).json.labels).toMatchObject([{ name: 'lane', type: 'polyline' }])
  await done(['project', 'create', 'Roads', '--bug-tracker', 'https://example.org/bugs'])

  const { stdout } = await done(['project', 'list', '--sort', 'id'])
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(/^ID +NAME +STATUS +TASKS +OWNER +ASSIGNEE +UPDATED$/),
    expect.stringMatching(/^ *\d+ +Streets +annotation +0 +admin +\d{4}-/),
    expect.stringMatching(/^ *\d+ +One /),
  ])
  const named = await done(['project', 'list', '--name', 'Roads', '--json'])
  expect(named.json).toMatchObject([{ name: 'Roads', bug_tracker: 'https://example.org/bugs' }])
  const first = await done(['project', 'list', '--limit', '1', '--json'])
  expect(first.json).toHaveLength(1)
  expect(first.stderr).toContain('more than 1')
  const filter = '{"==":[{"var":"name"},"Streets"]}'
  expect((await done(['project', 'list', '--filter', filter, '--json'])).json).toHaveLength(1)

  const change = ['project', 'update', String(id), '--status', 'completed', '--assignee', 'admin']
  const changed = (await done([...change, '--json'])).json
  expect(changed).toMatchObject({ status: 'completed', assignee: { username: 'admin' } })
  const unset = ['project', 'update', String(id), '--assignee', 'none', '--json']
  expect((await done(unset)).json.assignee).toBeNull()
  expect((await run(['project', 'update', String(id)])).code).toBe(2)
  expect((await run(['project', 'update', String(id), '--assignee', 'nobody'])).code).toBe(4)

  expect((await run(['project', 'delete', String(id)])).code).toBe(2)
  const deletion = await run(['project', 'delete', '999', String(id), '--yes', '--json'])
  expect(deletion).toMatchObject({ code: 4, json: { deleted: [id] } })
  expect((await run(['project', 'show', String(id)])).code).toBe(4)
})

test('the objects around a task can be listed, shown, changed and deleted', async () => {
  const { done } = createCliHome(admin)
  const json = async (...args: string[]) => (await done([...args, '--json'])).json
  const { id } = await taskWithMedia(reticle.admin)
  const task = String(id)
  expect(await json('task', 'list')).toMatchObject([{ id }])
  expect(await json('task', 'update', task, '--subset', 'train')).toMatchObject({ subset: 'train' })
  const [job] = await json('job', 'list', '--task', task)
  expect(await json('job', 'show', String(job.id))).toMatchObject({ task_id: id })
  const staged = ['job', 'update', String(job.id), '--assignee', 'me', '--stage', 'validation']
  expect(await json(...staged)).toMatchObject({ stage: 'validation', assignee: { id: 1 } })
  const truth = ['--type', 'ground_truth', '--frame-selection', 'manual', '--frames', '[0,2]']
  const ground = await json('job', 'create', '--task', task, ...truth)
  expect(ground).toMatchObject({ type: 'ground_truth' })
  await done(['job', 'delete', String(ground.id), '--yes'])

  const [label] = await json('label', 'list', '--task', task)
  const colored = await json('label', 'update', String(label.id), '--color', '#102030')
  expect(colored).toMatchObject({ name: 'car', color: '#102030' })

  const where = ['--job', String(job.id), '--frame', '1', '--position', '[1,2,30,40]']
  const issue = await json('issue', 'create', 'Too large', ...where)
  const comment = await json('comment', 'create', 'Done', '--issue', String(issue.id))
  expect(await json('comment', 'list', '--issue', String(issue.id))).toHaveLength(2)
  await done(['comment', 'update', String(comment.id), '--message', 'Done, really'])
  expect(await json('issue', 'update', String(issue.id), '--resolved', 'true')).toMatchObject({
    resolved: true,
  })
  expect(await json('issue', 'list', '--resolved', 'false')).toEqual([])

  const guide = await json('guide', 'create', '--task', task, '--markdown', '# Read me')
  expect(await json('guide', 'show', String(guide.id))).toMatchObject({ markdown: '# Read me' })
  expect((await json('request', 'list', '--task', task))[0]).toMatchObject({ status: 'finished' })
  const [request] = await json('request', 'list', '--status', 'finished')
  expect(await json('request', 'wait', request.id)).toMatchObject({ id: request.id })
  await done(['task', 'delete', task, '--yes'])
})

test('organizations, members, invitations and tokens can be managed', async () => {
  const { done, path, run } = createCliHome(admin)
  const json = async (...args: string[]) => (await done([...args, '--json'])).json
  const org = await json('org', 'create', 'acme', '--name', 'Acme Vision')
  const within = ['--organization', 'acme']
  expect(await json('org', 'update', String(org.id), '--description', 'roads')).toMatchObject({
    description: 'roads',
  })
  expect(await json('membership', 'list', ...within)).toMatchObject([{ role: 'owner' }])
  const first = join(path, 'first.txt')
  writeFileSync(first, 'a-long-password\n')
  const create = ['user', 'create', 'bertha', '--email', 'b@example.org', '--password', first]
  const account = await done([...create, '--username', 'admin', '--json'], `${password}\n`)
  expect(account.json).toMatchObject({
    username: 'bertha',
    email: 'b@example.org',
    is_active: true,
  })
  expect(account.json).not.toHaveProperty('key')
  const invite = ['invitation', 'create', 'new@example.org', '--role', 'worker', ...within]
  const { key } = await json(...invite)
  expect(await json('invitation', 'list', ...within)).toMatchObject([{ key, accepted: false }])
  await done(['invitation', 'delete', key, '--yes', ...within])
  expect(await json('user', 'list', '--username', 'bertha')).toMatchObject([{ username: 'bertha' }])

  const refused = await run(['token', 'create', 'nightly'])
  expect(refused.code).toBe(3)
  const made = await done(
    ['token', 'create', 'nightly', '--expires', '31/12/2099', '--username', 'admin', '--json'],
    `${password}\n`,
  )
  expect(made.json).toMatchObject({ read_only: true, value: expect.stringMatching(/^\w{8}\./) })
  const listed = await json('token', 'list')
  expect(listed).toContainEqual(
    expect.objectContaining({ name: 'nightly', expiry_date: '31/12/2099' }),
  )
  const remove = ['token', 'delete', String(made.json.id), '--yes', '--username', 'admin']
  await done(remove, `${password}\n`)
  await done(['invitation', 'create', 'b@example.org', '--role', 'worker', ...within])
  const to = ['org', 'transfer', String(org.id), 'bertha', '--json']
  expect((await done(to)).json).toMatchObject({ owner: { username: 'bertha' } })
  await done(['org', 'delete', String(org.id), '--yes'])
})

test('invitations are resent, accepted and declined, and the event log names the users', async () => {
  const { done, path } = createCliHome(admin)
  const json = async (...args: string[]) => (await done([...args, '--json'])).json
  const within = ['--organization', 'beta']
  await json('org', 'create', 'beta')
  const word = join(path, 'word.txt')
  writeFileSync(word, 'a-long-password\n')
  for (const [name, answer] of [
    ['carla', 'accept'],
    ['dorit', 'decline'],
  ] as const) {
    const email = `${name}@example.org`
    const invite = ['invitation', 'create', email, '--role', 'worker', ...within]
    const { key } = await json(...invite)
    const again = await done(['invitation', 'resend', key, ...within])
    expect(again.stdout).toBe('The invitation is sent once more.\n')
    const create = ['user', 'create', name, '--email', email, '--password', word]
    await done([...create, '--username', 'admin', '--json'], `${password}\n`)
    const invited = createApiClient(`${reticle.url}/api`, basicOf(name, 'a-long-password'))
    const { done: answered } = createCliHome(await signedIn(reticle.url, invited))
    await answered(['invitation', answer, key])
  }
  const members = await json('membership', 'list', ...within)
  expect(members.map(({ user }: { user: { username: string } }) => user.username).sort()).toEqual([
    'admin',
    'carla',
  ])

  const file = join(path, 'events.csv')
  const log = async () => {
    await done(['events', ...within, '--from', '2026-03-01', '-o', file, '--force'])
    return readFileSync(file, 'utf8')
  }
  await expect.poll(log, { timeout: 60_000 }).toMatch(/create:membership.*carla/)
})

test('a webhook is created with a secret from a file and pinged, and its deliveries are listed', async () => {
  const receiver = await startReceiver()
  const machine = createCliHome(admin)
  const json = async (...args: string[]) => (await machine.done([...args, '--json'])).json
  writeFileSync(join(machine.path, 'secret.txt'), 'a secret of ours\n')
  const project = await json('project', 'create', 'told')
  const scope = ['--type', 'project', '--project', String(project.id), '--events', 'update:task']
  const form = ['--dialect', 'cvat']
  const made = await json(
    'webhook',
    'create',
    receiver.url,
    ...scope,
    ...form,
    '--secret',
    'secret.txt',
  )
  expect(made).toMatchObject({ has_secret: true, is_active: true, dialect: 'cvat' })
  expect(await json('webhook', 'ping', String(made.id))).toMatchObject({ status_code: 200 })
  expect(await json('webhook', 'deliveries', String(made.id))).toMatchObject([{ event: 'ping' }])
  expect(await json('webhook', 'update', String(made.id), '--active', 'false')).toMatchObject({
    is_active: false,
    dialect: 'cvat',
  })
  expect(await json('webhook', 'events')).toContain('update:task')
  await receiver.close()
})

test('the server describes itself, and formats are listed with and without a server', async () => {
  const { done } = createCliHome(admin)
  const json = async (...args: string[]) => (await done([...args, '--json'])).json
  expect(await json('server', 'about')).toMatchObject({
    version: '2.58.1',
    media: expect.anything(),
  })
  expect(await json('server', 'health')).toMatchObject({ DatabaseBackend: 'working' })
  expect(await json('server', 'limits')).toMatchObject({ jobs_per_task: expect.anything() })
  expect(await json('server', 'share')).toEqual([])
  const far = await json('formats')
  const near = (await createCliHome().done(['formats', '--local', '--json'])).json
  expect(far.map(({ name }: { name: string }) => name)).toEqual(
    near.map(({ name }: { name: string }) => name),
  )
})
