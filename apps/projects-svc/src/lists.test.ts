import { restOperations, tables } from '@reticle/contracts'
import { isPage } from '@reticle/contracts/api/operation'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { handlers } from './server.ts'
import { testOrganizations } from './testing/organizations.ts'
import { addReview } from './testing/review.ts'

/** The number of statements of a list does not depend on the number of its rows. */

const workspace = await testOrganizations()
const { db, blobs, addUser, addOrganization, addMember, as, over } = workspace
const admin = await addUser('admin')
const services = over('in-process')
const all = handlers({ db, blobs, clock: systemClock, settings: readConfig({}) })

/** Adds `by` records of every listed kind, each with children. */
async function grow(by: number) {
  for (let count = 0; count < by; count++) {
    const owner = await addUser()
    const { project_id, task_id, job } = await addReview(services, owner)
    const labels = [{ name: 'car', attributes: [{ ...attribute, name: 'a' }] }]
    const source_storage = { location: 'local' as const }
    const body = { labels, source_storage, assignee_id: owner.id }
    await services.projects.updateProject({ id: project_id, body }, owner.call)
    const own = { name: 'own', labels, target_storage: source_storage, assignee_id: owner.id }
    await services.tasks.createTask({ body: own }, owner.call)
    const pinned = { job, frame: 0, position: [1, 2, 3, 4], message: 'look' }
    const { id: issue } = await services.issues.createIssue({ body: pinned }, owner.call)
    await services.issues.createComment({ body: { issue, message: 'again' } }, owner.call)
    await services.guides.createGuide({ body: { task_id, markdown: '' } }, owner.call).catch(none)
    const { id: organization_id, owner: founder } = await addOrganization()
    await addMember(organization_id, 'worker')
    const invited = { email: `guest-${organization_id}@example.org`, role: 'worker' as const }
    const call = await as(founder, organization_id)
    await services.organizations.createInvitation({ body: invited }, call)
    const bucket = { resource: 'frames', display_name: 'Frames', owner_id: owner.id }
    await db
      .insertInto('cloud_storages')
      .values({ ...bucket, provider_type: 'AWS_S3_BUCKET', credentials_type: 'ANONYMOUS_ACCESS' })
      .execute()
    await all.identity.createAccessToken({ body: { name: 't', read_only: true } }, admin.call)
  }
}
const none = () => undefined
const attribute = { mutable: true, input_type: 'text' as const, values: [] }

/** Tables of operations that other services handle. */
const others: object[] = [tables.annotations, tables.requests, tables.webhooks]
const elsewhere = new Set(others.flatMap((table) => Object.keys(table)))
const lists = restOperations
  .filter(({ answers }) => answers[200] !== undefined && isPage(answers[200]))
  .map(({ name }) => name)
  .filter((name) => !elsewhere.has(name))

const needed: Record<string, object> = { listFrames: { search: 'images' } }

async function look(name: string): Promise<{ statements: number; rows: number }> {
  const { db: watched, statements } = countStatements(db)
  const here = handlers({ db: watched, blobs, clock: systemClock, settings: readConfig({}) })
  const answers = new Map(Object.values(here).flatMap((table) => Object.entries(table)))
  const query = { page_size: 'all', ...needed[name] }
  const { results } = await answers.get(name)(query, admin.call)
  return { statements: statements(), rows: results.length }
}

await grow(1)
const few = new Map<string, Awaited<ReturnType<typeof look>>>()
for (const name of lists) few.set(name, await look(name))
await grow(5)

test.each(lists)('%s needs as many statements for many rows as for few', async (name) => {
  const { statements, rows } = await look(name)
  const before = few.get(name)
  expect(rows).toBeGreaterThanOrEqual(5 + Number(before?.rows))
  expect(before?.rows).toBeGreaterThan(0)
  expect(statements).toBe(before?.statements)
})

test('the test covers all lists of the service', () => {
  expect(lists).toEqual(expect.arrayContaining(['listUsers', 'listProjects', 'listFrames']))
  expect(lists.length).toBeGreaterThanOrEqual(12)
})
