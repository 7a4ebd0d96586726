import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiClient, createApiClient } from '../../support/client.ts'
import { basicOf, createUserFactory, type RegisteredUser } from '../../support/people.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'

/** Lists of the dialect without a scope. See docs/spec/dialect.md#lists. */

const { path, remove } = dataDirectory()
let reticle: Reticle
beforeAll(async () => {
  reticle = await startReticle(path)
}, 120_000)
afterAll(async () => {
  await reticle.stop()
  remove()
})
const { newOrganization, newMember } = createUserFactory(() => reticle)

const mountOf = ({ username }: RegisteredUser) =>
  createApiClient(`${reticle.url}/as/cvat/api`, basicOf(username))
const countsOf = async (api: ApiClient, query = '') => {
  const lists = ['projects', 'tasks', 'labels', 'webhooks', 'invitations', 'memberships']
  const pages = await Promise.all(lists.map((list) => api.done('GET', `/${list}${query}`)))
  return pages.map(({ count }) => count)
}

test('a maintainer lists own and assigned objects on the mount, and everything visible in the API', async () => {
  const organization = await newOrganization()
  const { slug, owner } = organization
  const maintainer = await newMember(organization, 'maintainer')
  const json = { name: 'p', labels: [{ name: 'car' }] }
  const project = await owner.api.done('POST', `/projects?org=${slug}`, { json })
  const task = { name: 't', project_id: project.id }
  await owner.api.done('POST', `/tasks?org=${slug}`, { json: task })
  const hook = { type: 'project', project_id: project.id, events: 'update:project' }
  const target_url = 'https://receiver.example.org/hook'
  await owner.api.done('POST', `/webhooks?org=${slug}`, { json: { ...hook, target_url } })

  const mount = mountOf(maintainer)
  const everything = [1, 1, 1, 1, 1, 1]
  expect(await countsOf(maintainer.api)).toEqual(everything)
  expect(await countsOf(mount)).toEqual([0, 0, 0, 0, 1, 1])
  expect(await countsOf(mount, `?org=${slug}`)).toEqual([1, 1, 1, 1, 1, 2])
  expect(await countsOf(mountOf(owner))).toEqual(everything)

  await owner.api.done('PATCH', `/projects/${project.id}`, {
    json: { assignee_id: maintainer.id },
  })
  expect(await countsOf(mount)).toEqual([1, 1, 1, 0, 1, 1])
})
