import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type S3Server, startS3 } from '@reticle/kit/testing/s3-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storedZip } from '../../support/archives.ts'
import { type CliHome, createCliHome, signedIn } from '../../support/cli.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf, rectangle } from '../../support/factories.ts'
import { fixture, hasFixtures } from '../../support/fixtures.ts'
import { createUserFactory, type RegisteredUser } from '../../support/people.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'
import { describeProject, describeTask } from '../backups/described.ts'
import { addAnnotated, makeBroken, makeWorld } from './other-server.ts'

/** Migrates from the CVAT-compatible mount of one server to another server. */

const folders = [dataDirectory(), dataDirectory()] as const
let there: Reticle
let here: Reticle
let s3: S3Server
let anna: RegisteredUser
let bob: RegisteredUser
let annaHere: RegisteredUser
let world: Awaited<ReturnType<typeof makeWorld>>
let admin: Record<string, string>

beforeAll(async () => {
  const env = { RETICLE_PROJECTS_ALLOWED_NETS: '127.0.0.1/32' }
  ;[there, here] = await Promise.all([
    startReticle(folders[0].path, env),
    startReticle(folders[1].path, env),
  ])
  s3 = await startS3()
  const old = createUserFactory(() => there)
  anna = await old.newPerson()
  bob = await old.newPerson()
  annaHere = await createUserFactory(() => here).newPerson()
  world = await makeWorld(there.admin, { anna, bob, s3 })
  const { value } = await there.admin.done('POST', '/auth/access_tokens', {
    json: { name: 'read only' },
  })
  admin = { ...(await signedIn(here.url, here.admin)), RETICLE_SOURCE_TOKEN: value }
})
afterAll(async () => {
  await Promise.all([there.stop(), here.stop(), s3.close()])
  for (const folder of folders) folder.remove()
})

const from = (...more: string[]) => [
  'migrate',
  '--from',
  `${there.url}/as/cvat`,
  '--json',
  '--users',
  'users.json',
  ...more,
]

async function listOf(api: ApiClient, path: string): Promise<AnyJson[]> {
  const sign = path.includes('?') ? '&' : '?'
  return (await api.done('GET', `${path}${sign}page_size=100&sort=id`)).results
}

/** Entries of a report, one line each. */
const entryLines = ({ entries }: AnyJson): string[] =>
  entries.map((one: AnyJson) => `${one.what} ${one.kind} ${one.name}: ${one.code}`).sort()

function machineWith(files: Record<string, AnyJson>): CliHome {
  const machine = createCliHome(admin)
  write(machine, files)
  return machine
}

function write({ path }: CliHome, files: Record<string, AnyJson>): void {
  for (const [name, value] of Object.entries(files))
    writeFileSync(join(path, name), JSON.stringify(value))
}

/** Counts objects of all tasks, job by job. */
async function countAll(api: ApiClient): Promise<AnyJson> {
  const counts = { frames: 0, tags: 0, shapes: 0, tracks: 0 }
  for (const { id, size } of await listOf(api, '/tasks')) {
    counts.frames += size
    for (const job of await jobsOf(api, id)) {
      const set = await api.done('GET', `/jobs/${job.id}/annotations/`)
      for (const kind of ['tags', 'shapes', 'tracks'] as const) counts[kind] += set[kind].length
    }
  }
  return counts
}

/** Comments of other users get a prefix with their author at the target. */
const withoutAuthors = (described: AnyJson): AnyJson =>
  JSON.parse(JSON.stringify(described).replaceAll(/p\d+x\d+x\d+: |admin: /g, ''))

describe('migrating from a running server', () => {
  test('the server is copied completely, without duplicates, although every step was killed once', async () => {
    const machine = machineWith({ 'users.json': {} })
    const kills = [
      /^Backup of project Street\/Scenes/m,
      /^Fetching project Street\/Scenes/m,
      /^Sending Street\/Scenes/m,
      /^Restoring Street\/Scenes/m,
      /^Counting annotations of Batch 1/m,
      /^Restoring a task/m,
      /^Organization Acme/m,
      /^Restoring Roads/m,
      /^Counting annotations of Monday/m,
    ]
    for (const pattern of kills) await machine.start(from()).killWhen(pattern)
    const { json } = await machine.done(from())

    const projects = await listOf(here.admin, '/projects')
    expect(projects.map(({ name }) => name).sort()).toEqual(['Roads', 'Street/Scenes'])
    for (const { id, name } of projects) {
      const [old] = await listOf(there.admin, `/projects?name=${encodeURIComponent(name)}`)
      const expected = withoutAuthors(await describeProject(there.admin, old.id))
      expect(withoutAuthors(await describeProject(here.admin, id))).toEqual(expected)
    }
    const tasks = await listOf(here.admin, '/tasks')
    const names = (await listOf(there.admin, '/tasks')).map(({ name }) => name)
    expect(tasks.map(({ name }) => name).sort()).toEqual(names.sort())
    for (const id of [world.personal.task.id, world.empty.id]) {
      const expected = await there.admin.done('GET', `/tasks/${id}`)
      const copy = tasks.find(({ name }) => name === expected.name)
      expect(copy).toMatchObject({ size: expected.size, organization: null, project_id: null })
      if (copy.size > 0)
        expect(await describeTask(here.admin, copy.id)).toEqual(await describeTask(there.admin, id))
    }
    const empty = tasks.find(({ name }) => name === 'Empty')
    expect(empty.labels.map(({ name, type }: AnyJson) => `${name} ${type}`)).toEqual([
      'car any',
      'person skeleton',
    ])
    const { carried, counts } = json
    expect(carried).toMatchObject({ organization: 1, project: 2, task: 6, issue: 2, comment: 4 })
    expect(counts).toEqual(await countAll(there.admin))
    expect(await countAll(here.admin)).toEqual(counts)
    const folder = join(machine.path, 'reticle-migration')
    expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toEqual(json)
    expect(readdirSync(join(folder, 'archives'))).toEqual([])
  }, 180_000)

  test('objects keep their users, and what could not be copied is reported and completed by a second run', async () => {
    const who = { [anna.username]: annaHere.username, [bob.username]: null }
    const machine = machineWith({ 'users.json': who })
    const acme = (...more: string[]) => from('--org', 'acme', ...more)
    const { json: first, stderr } = await machine.done(acme())
    expect(stderr).toContain(`The source is Reticle 2.58`)
    expect(entryLines(first)).toEqual([
      'changed project Roads: storages',
      'changed task Monday: no_user',
      'left cloud_storage Raw frames: no_credentials',
      `left membership ${bob.username} in acme: no_user`,
      'left webhook http://127.0.0.1:9/hook: switched_off',
      'left webhook http://127.0.0.1:9/hook: switched_off',
    ])
    const project = (await listOf(here.admin, '/projects?name=Roads')).at(-1)
    expect(project).toMatchObject({
      assignee: { username: annaHere.username },
      target_storage: null,
    })
    const members = await listOf(here.admin, '/memberships?org=acme')
    expect(members.find(({ user }) => user.id === annaHere.id)).toMatchObject({
      role: 'supervisor',
    })
    const [monday] = await listOf(here.admin, `/tasks?project_id=${project.id}`)
    expect(await jobsOf(here.admin, monday.id)).toMatchObject([
      { stage: 'validation', state: 'in progress', assignee: null },
      { stage: 'acceptance', state: 'completed', assignee: { username: annaHere.username } },
    ])
    const [issue] = await listOf(here.admin, `/issues?task_id=${monday.id}`)
    expect(issue.assignee).toMatchObject({ username: annaHere.username })
    const listComments = () => listOf(here.admin, `/comments?issue_id=${issue.id}`)
    expect((await listComments()).map(({ message }) => message)).toEqual([
      `${anna.username}: too wide`,
      'now?',
    ])
    const [hook] = (await listOf(here.admin, '/webhooks?org=acme')).slice(-2)
    expect(hook).toMatchObject({
      is_active: false,
      has_secret: false,
      dialect: 'cvat',
      events: 'create:job,update:task',
    })

    // Between the runs the source gets new objects, and the target a change that must stay.
    await there.admin.done('POST', '/comments', { json: { issue: world.issue, message: 'good' } })
    await addAnnotated(there.admin, world.project, 'Tuesday')
    const [job] = await jobsOf(here.admin, monday.id)
    await here.admin.done('PATCH', `/jobs/${job?.id}`, { json: { state: 'rejected' } })
    const { key, secret_key } = { key: s3.key, secret_key: s3.secret }
    write(machine, {
      'users.json': { ...who, [bob.username]: annaHere.username },
      'secrets.json': { cloud_storages: { [world.storage.id]: { key, secret_key } } },
    })
    const { json: second } = await machine.done(acme('--secrets', 'secrets.json'))
    expect(entryLines(second)).toEqual([
      'left webhook http://127.0.0.1:9/hook: switched_off',
      'left webhook http://127.0.0.1:9/hook: switched_off',
    ])
    expect((await listComments()).map(({ message }) => message).at(-1)).toBe('good')
    expect((await jobsOf(here.admin, monday.id))[0]).toMatchObject({
      ...{ stage: 'validation', state: 'rejected', assignee: { username: annaHere.username } },
    })
    const [storage] = (await listOf(here.admin, '/cloudstorages?org=acme')).slice(-1)
    expect(await here.admin.done('GET', `/projects/${project.id}`)).toMatchObject({
      target_storage: { location: 'cloud_storage', cloud_storage_id: storage.id },
    })
    const tasks = await listOf(here.admin, `/tasks?project_id=${project.id}`)
    expect(tasks.map(({ name, size }) => `${name} ${size}`)).toEqual(['Monday 4', 'Tuesday 4'])
    const { shapes } = await here.admin.done('GET', `/tasks/${tasks[1].id}/annotations/`)
    expect(shapes.map(({ label_id }: AnyJson) => label_id)).toEqual(
      [0, 1].map(() => project.labels[0].id),
    )

    const all = ['/projects', '/tasks', '/issues', '/comments', '/webhooks?org=acme']
    const ids = async () => Promise.all(all.map((path) => listOf(here.admin, path)))
    const before = await ids()
    const { json: third } = await machine.done(acme('--secrets', 'secrets.json'))
    expect(third).toEqual(second)
    expect(await ids()).toEqual(before)
  })

  test('a migration into one organization copies webhooks with given secrets and compares counts', async () => {
    const secrets = Object.fromEntries(world.webhooks.map(({ id }) => [id, 'a secret']))
    const machine = machineWith({ 'users.json': {}, 'secrets.json': { webhooks: secrets } })
    await here.admin.done('POST', '/organizations', { json: { slug: 'gathered' } })
    const more = ['--org', '', '--org', 'acme', '--secrets', 'secrets.json']
    const into = ['--organization', 'gathered', ...from(...more)]
    await machine.start(into).killWhen(/^Restoring a task/m)
    const { id, labels } = world.personal.task
    const shapes = [rectangle(labels[0].id, 1)]
    const path = `/tasks/${id}/annotations/?action=create`
    await there.admin.done('PATCH', path, { json: { shapes } })
    const { code, json, stderr } = await machine.run(into)
    expect(code, stderr).toBe(1)
    expect(stderr).toContain('1 could not be carried')
    expect(json.entries.find((one: AnyJson) => one.what === 'failed')).toMatchObject({
      code: 'counts',
      name: 'a task',
      reason: expect.stringMatching(/4 frames, 1 shape,.* at the source 4 frames, 2 shapes/),
    })
    const gathered = await listOf(here.admin, '/projects?org=gathered')
    expect(gathered.map(({ name }) => name)).toEqual(['Street/Scenes'])
    const hooks = (await listOf(here.admin, '/webhooks?org=acme')).slice(-2)
    expect(hooks).toMatchObject([
      { is_active: true, has_secret: true, type: 'organization' },
      { is_active: true, has_secret: true, type: 'project' },
    ])
  })
})

test('a project with a task that cannot be backed up is copied in parts, without that task', async () => {
  const machine = machineWith({ 'users.json': {} })
  const { project, lost } = await makeBroken(there.admin, s3)
  const args = from('--org', 'parts')
  await machine.start(args).killWhen(/^Restoring kept/m)
  const { code, json } = await machine.run(args)
  expect(code).toBe(1)
  expect(json.carried).toMatchObject({ project: 1, task: 1 })
  const reason = expect.stringMatching(/b\.png/)
  const entry = { kind: 'task', from: String(lost.id), what: 'failed', code: 'refused', reason }
  expect(json.entries.filter(({ what }: AnyJson) => what === 'failed')).toMatchObject([entry])
  expect(entryLines(json)).toContain('changed project Broken: in_parts')
  const [made] = await listOf(here.admin, '/projects?org=parts')
  const old = await describeProject(there.admin, project.id)
  const copy = await describeProject(here.admin, made.id)
  expect(copy).toMatchObject({ name: 'Broken', labels: old.labels, guide: old.guide })
  expect(old.guide.assets).toHaveLength(1)
  const kept = old.tasks.find(({ name }: AnyJson) => name === 'kept')
  expect(copy.tasks).toEqual([kept])
  expect((await listOf(here.admin, '/projects?org=parts')).length).toBe(1)
})

test("a user's token copies only the objects that the user can see", async () => {
  const project = await there.admin.done('POST', '/projects', {
    json: { name: 'Hidden', labels: [{ name: 'car' }] },
  })
  const task = await addAnnotated(there.admin, project, 'Theirs')
  await there.admin.done('PATCH', `/tasks/${task.id}`, { json: { assignee_id: anna.id } })
  const { value } = await anna.api.done('POST', '/auth/access_tokens', { json: { name: 'own' } })
  const machine = createCliHome({ ...admin, RETICLE_SOURCE_TOKEN: value })
  write(machine, { 'users.json': {} })
  const { json } = await machine.done(from('--org', ''))
  expect(json.carried).toEqual({ task: 1 })
  expect(json.entries).toContainEqual(
    expect.objectContaining({ code: 'project', what: 'changed', name: 'Theirs' }),
  )
  const copy = (await listOf(here.admin, '/tasks?name=Theirs')).at(-1)
  expect(copy).toMatchObject({ project_id: null, size: 4 })
  expect(copy.labels.map(({ name }: AnyJson) => name)).toEqual(['car'])
})

test.skipIf(!hasFixtures)(
  'backup archives of other servers become projects and tasks without duplicates',
  async () => {
    const machine = createCliHome(admin)
    for (const name of ['project', 'task-shapes', 'task-tracks'])
      writeFileSync(join(machine.path, `${name}.zip`), fixture(`backups/${name}.zip`))
    const torn = join(machine.path, 'a-torn.zip')
    writeFileSync(torn, fixture('backups/project.zip').subarray(0, 90_000))
    writeFileSync(
      join(machine.path, 'b-other.zip'),
      storedZip([{ name: 'a.txt', bytes: Buffer.from('a') }]),
    )
    await here.admin.done('POST', '/organizations', { json: { slug: 'archives' } })
    const args = ['migrate', '--backup', '.', '--organization', 'archives', '--json']
    const first = await machine.run(args)
    expect(first.code).toBe(1)
    expect(first.json.carried).toEqual({ archive: 3, project: 1, task: 4 })
    const reasons = first.json.entries.map(({ name, reason }: AnyJson) => `${name}: ${reason}`)
    expect(reasons).toEqual([
      'a-torn.zip: archive is damaged: its end record is missing',
      'b-other.zip: it is no backup: it has neither project.json nor task.json',
    ])
    rmSync(join(machine.path, 'b-other.zip'))
    writeFileSync(torn, fixture('backups/project.zip')) // the complete archive
    const { json } = await machine.done(args)
    expect(json).toMatchObject({ carried: { archive: 3, project: 1, task: 4 }, entries: [] })

    const projects = await listOf(here.admin, '/projects?org=archives')
    expect(projects.map(({ name }) => name)).toEqual(['Street scenes'])
    const facts = JSON.parse(fixture('exports/facts.json').toString('utf8'))
    const tasks = await listOf(here.admin, '/tasks?org=archives')
    expect(tasks).toHaveLength(4)
    const sum = { frames: 0, shapes: 0 }
    for (const { id, name, size } of tasks) {
      sum.frames += size
      const jobs = await jobsOf(here.admin, id)
      const sets = jobs.map((job) => here.admin.done('GET', `/jobs/${job.id}/annotations/`))
      const shapes = (await Promise.all(sets)).flatMap((set) => set.shapes)
      const fact = facts.tasks[name]
      sum.shapes += shapes.length
      expect([size, shapes.length], name).toEqual([fact.size, fact.annotations.shapes.length])
      const { tracks, tags } = await here.admin.done('GET', `/tasks/${id}/annotations/`)
      const { tracks: allTracks, tags: allTags } = fact.annotations
      expect([tracks.length, tags.length], name).toEqual([allTracks.length, allTags.length])
    }
    expect(json.counts).toMatchObject(sum)
  },
)

test('a migration that cannot start names the reason and changes nothing', async () => {
  const machine = machineWith({ 'users.json': { anna: 7 }, 'secrets.json': { buckets: {} } })
  const count = async () => (await here.admin.done('GET', '/projects')).count
  const before = await count()
  const refused = async (args: string[], env: Record<string, string> = {}) => {
    const other = createCliHome({ ...admin, ...env })
    const { code, stderr } = await other.run(args)
    return `${code} ${stderr}`
  }
  const bare = ['migrate', '--from', `${there.url}/as/cvat`]
  expect(await refused(['migrate'])).toMatch(/^2 .*--from, or archives with --backup/)
  expect(await refused([...bare, '--backup', '.'])).toMatch(/^2 .*cannot be used with/)
  expect(await refused(bare, { RETICLE_SOURCE_TOKEN: 'wrong' })).toMatch(/^3 [\s\S]*The source: /)
  expect(await refused(['migrate', '--from', 'http://127.0.0.1:9'])).toMatch(
    /^6 [\s\S]*The source: /,
  )
  expect(await refused([...bare, '--org', 'nobody'])).toMatch(/^4 [\s\S]*no organization "nobody"/)
  expect(await refused(['migrate', '--backup', '.'])).toMatch(/^1 [\s\S]*no archives in/)
  const inMachine = async (...more: string[]) => (await machine.run([...bare, ...more])).stderr
  expect(await inMachine('--users', 'users.json')).toContain('"anna" is no username')
  expect(await inMachine('--secrets', 'secrets.json')).toContain('"buckets" is not known')
  writeFileSync(join(machine.path, 'broken.json'), '[')
  expect(await inMachine('--users', 'broken.json')).toContain('broken.json')
  await machine.run(['migrate', '--from', 'http://127.0.0.1:9', '--folder', 'notes'])
  expect(readdirSync(machine.path)).not.toContain('notes')
  const notes = '{"about":{"from":"http://one.example","to":"http://two.example"}}\n'
  const folder = join(machine.path, 'notes')
  await machine.run([...bare, '--org', 'nobody', '--folder', 'notes'])
  writeFileSync(join(folder, 'ledger.jsonl'), notes)
  expect(await inMachine('--folder', 'notes')).toMatch(
    /another migration \(http:\/\/one.example to http:\/\/two.example\)/,
  )
  expect(await count()).toBe(before)
})
