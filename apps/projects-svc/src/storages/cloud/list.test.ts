import { cloudStorageList } from '@reticle/contracts/rest/cloud-storages'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { expect, test } from 'vitest'
import { testCloudStorages } from '../../testing/cloud-storages.ts'

/** Lists of cloud storages. */

const { db, store, addUser, addBucket, bodyOf, over } = await testCloudStorages()

test('the list is searched, filtered and sorted by its documented fields', async () => {
  const { storages } = over('in-process')
  const cleo = await addUser()
  const first = addBucket()
  const second = addBucket()
  store.open.add(second.name)
  const make = (body: Parameters<typeof storages.createCloudStorage>[0]['body']) =>
    storages.createCloudStorage({ body }, cleo.call)
  const { id: one } = await make({ ...bodyOf(first.name), display_name: 'North', description: 'x' })
  const { key: _, secret_key: __, ...open } = bodyOf(second.name)
  const anonymous = { ...open, credentials_type: 'ANONYMOUS_ACCESS' as const }
  const { id: two } = await make({ ...anonymous, display_name: 'South' })
  const ids = async (query = {}) => {
    const { results } = await storages.listCloudStorages(query, cleo.call)
    return results.map(({ id }) => id)
  }
  expect(await ids()).toEqual([two, one])
  expect(await ids({ search: 'north' })).toEqual([one])
  expect(await ids({ search: second.name })).toEqual([two])
  expect(await ids({ search: `anonymous ${cleo.username}` })).toEqual([two])
  expect(await ids({ name: 'North' })).toEqual([one])
  expect(await ids({ resource: second.name })).toEqual([two])
  expect(await ids({ owner: cleo.username, sort: 'name' })).toEqual([one, two])
  expect(await ids({ owner: 'nobody' })).toEqual([])
  expect(await ids({ provider_type: 'AZURE_CONTAINER' })).toEqual([])
  expect(await ids({ credentials_type: 'ANONYMOUS_ACCESS' })).toEqual([two])
  const filter = JSON.stringify({ '==': [{ var: 'description' }, 'x'] })
  expect(await ids(cloudStorageList.parse({ filter }))).toEqual([one])
})

test('a list needs the same number of queries at any length', async () => {
  const dora = await addUser()
  const { storages } = over('in-process')
  const { db: watched, statements } = countStatements(db)
  const counted = over('in-process', watched).storages
  const queries = async () => {
    const before = statements()
    await counted.listCloudStorages({ page_size: '100' }, dora.call)
    return statements() - before
  }
  const body = bodyOf(addBucket().name)
  await storages.createCloudStorage({ body }, dora.call)
  const one = await queries()
  for (let at = 0; at < 5; at++) await storages.createCloudStorage({ body }, dora.call)
  expect(await queries()).toBe(one)
})
