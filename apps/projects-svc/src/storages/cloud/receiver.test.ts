import type { CloudProvider, CredentialsType } from '@reticle/contracts/rest/cloud-storages'
import { readNets } from '@reticle/kit/outgoing/guard'
import { startS3 } from '@reticle/kit/testing/s3-server'
import { afterAll, describe, expect, test } from 'vitest'
import { testCloudStorages } from '../../testing/cloud-storages.ts'
import type { Credentials } from '../buckets/credentials.ts'

/** Receivers of the credentials of a storage, and allowed networks of storages. */

const given = await testCloudStorages()
const { db, store, secrets, settings, addUser, addOrganization, addMember, addBucket } = given
const { as, bodyOf, over, overSettings } = given
const other = await startS3(store.key, store.secret)
afterAll(other.close)
other.buckets.set('frames', new Map())
const [anna, admin] = [await addUser(), await addUser('admin')]
const { storages } = over('in-process')
type Patch = Parameters<typeof storages.updateCloudStorage>[0]['body']

const patch = (id: number, body: Patch, call = anna.call) =>
  storages.updateCloudStorage({ id, body }, call)
const endpoint = (url: string) => `endpoint_url=${encodeURIComponent(url)}`
const missing = (...fields: string[]) => ({
  kind: 'invalid',
  body: Object.fromEntries(fields.map((field) => [field, [expect.stringContaining('another')]])),
})
const refused = (field: string) => ({
  kind: 'invalid',
  body: { [field]: [expect.stringContaining('not allowed')] },
})
const sealedOf = async (id: number): Promise<Credentials> => {
  const row = db.selectFrom('cloud_storages').select('credentials_sealed').where('id', '=', id)
  const { credentials_sealed: sealed } = await row.executeTakeFirstOrThrow()
  return JSON.parse(secrets.open(sealed ?? '', `cloud_storages.credentials:${id}`))
}

async function connect(more: object = {}) {
  const { name } = addBucket({ 'm.jsonl': '' })
  other.buckets.set(name, new Map())
  const body = { ...bodyOf(name), session_token: 'LENT', ...more }
  return storages.createCloudStorage({ body }, anna.call)
}

/** Inserts a storage of a provider that no test can reach. */
async function insertStorage(
  provider_type: CloudProvider,
  credentials_type: CredentialsType,
  credentials: Credentials,
  specific_attributes = '',
) {
  const row = { provider_type, credentials_type, specific_attributes }
  const { id } = await db
    .insertInto('cloud_storages')
    .values({ ...row, resource: 'frames', display_name: 's', owner_id: anna.id })
    .returning('id')
    .executeTakeFirstOrThrow()
  const credentials_sealed = secrets.seal(
    JSON.stringify(credentials),
    `cloud_storages.credentials:${id}`,
  )
  await db.updateTable('cloud_storages').set({ credentials_sealed }).where('id', '=', id).execute()
  return id
}

describe('a change of the S3 receiver requires the credentials in the same request', () => {
  const port = new URL(store.url).port
  test.each<[string, Patch]>([
    ['another port', { specific_attributes: endpoint(other.url) }],
    ['another port, behind a prefix', { specific_attributes: `prefix=a&${endpoint(other.url)}` }],
    ['another host', { specific_attributes: endpoint(`http://127.0.0.9:${port}`) }],
    ['another scheme', { specific_attributes: endpoint(`https://127.0.0.1:${port}`) }],
    ['a name spelt in percents', { specific_attributes: `endpoint%5Furl=${other.url}` }],
    ['another spelling of a host', { specific_attributes: endpoint(`http://[::ffff:7f00:9]:1`) }],
    ['no endpoint, so Amazon', { specific_attributes: '' }],
    ['an empty endpoint, so Amazon', { specific_attributes: 'endpoint_url=' }],
    ['a new key, and the stored secret', { specific_attributes: endpoint(other.url), key: 'AK' }],
  ])('%s', async (_, body) => {
    const { id } = await connect()
    const before = await sealedOf(id)
    const calls = [other.calls(), store.calls()]
    const fields = body.key === undefined ? ['key', 'secret_key'] : ['secret_key']
    await expect(patch(id, body)).rejects.toMatchObject(missing(...fields))
    expect([other.calls(), store.calls()]).toEqual(calls)
    expect(await sealedOf(id)).toEqual(before)
  })

  test('a maintainer who never knew the credentials cannot send them to another server', async () => {
    const { id, owner } = await addOrganization()
    const { name } = addBucket()
    const made = await storages.createCloudStorage({ body: bodyOf(name) }, await as(owner, id))
    const maintainer = await addMember(id, 'maintainer')
    const body = { specific_attributes: endpoint(other.url) }
    const attempt = patch(made.id, body, await as(maintainer, id))
    await expect(attempt).rejects.toMatchObject(missing('key', 'secret_key'))
    expect(other.calls()).toBe(0)
  })

  test('new credentials allow the change, and the stored session token is dropped', async () => {
    const { id } = await connect()
    const pair = { key: other.key, secret_key: other.secret }
    const body = { specific_attributes: endpoint(other.url), ...pair }
    expect(await patch(id, body)).toMatchObject({ specific_attributes: endpoint(other.url) })
    expect(await sealedOf(id)).toEqual(pair)
  })

  test('anonymous access to another receiver sends no credentials', async () => {
    const { id, resource } = await connect()
    other.open.add(resource)
    const body = { specific_attributes: endpoint(other.url), credentials_type: 'ANONYMOUS_ACCESS' }
    await patch(id, { ...body, credentials_type: 'ANONYMOUS_ACCESS' })
    const row = db.selectFrom('cloud_storages').select('credentials_sealed').where('id', '=', id)
    expect(await row.executeTakeFirst()).toEqual({ credentials_sealed: null })
  })
})

describe('a change that keeps the receiver keeps the credentials', () => {
  const upper = store.url.replace('http:', 'HTTP:')
  test.each<[string, Patch]>([
    ['a name', { display_name: 'Others' }],
    ['a prefix and a region', { specific_attributes: `${endpoint(store.url)}&prefix=a&region=b` }],
    ['another order', { specific_attributes: `prefix=a&${endpoint(store.url)}` }],
    ['another spelling', { specific_attributes: endpoint(`${upper}/`) }],
    ['manifests', { manifests: ['m.jsonl'] }],
  ])('%s', async (_, body) => {
    const { id } = await connect()
    const before = await sealedOf(id)
    expect(before.session_token).toBe('LENT')
    await patch(id, body)
    expect(await sealedOf(id)).toEqual(before)
  })

  test.each<[string, Patch, string | undefined]>([
    ['another secret drops it', { secret_key: 'another' }, undefined],
    ['the same key and secret keep it', { key: store.key, secret_key: store.secret }, 'LENT'],
    ['an empty one removes it', { session_token: '' }, undefined],
    ['another secret with its own', { secret_key: 'another', session_token: 'NEW' }, 'NEW'],
  ])('a session token belongs to its key: %s', async (_, body, token) => {
    const { id } = await connect()
    await patch(id, body)
    expect((await sealedOf(id)).session_token).toBe(token)
  })
})

describe('another account of Azure, or another partition of Amazon', () => {
  const pair = { account_name: 'first', session_token: 'sv=1&sig=x' }
  const text = 'AccountName=first;AccountKey=a2V5'
  const keys = { key: 'AK', secret_key: 'SK' }
  test.each<[string, () => Promise<number>, Patch, string[]]>([
    [
      'an account without its signature',
      () => insertStorage('AZURE_CONTAINER', 'ACCOUNT_NAME_TOKEN_PAIR', pair),
      { account_name: 'second' },
      ['session_token'],
    ],
    [
      'Amazon in China',
      () => insertStorage('AWS_S3_BUCKET', 'KEY_SECRET_KEY_PAIR', keys, 'region=eu-central-1'),
      { specific_attributes: 'region=cn-north-1' },
      ['key', 'secret_key'],
    ],
    [
      'a server instead of Amazon',
      () => insertStorage('AWS_S3_BUCKET', 'KEY_SECRET_KEY_PAIR', keys, 'region=eu-central-1'),
      { specific_attributes: endpoint(other.url) },
      ['key', 'secret_key'],
    ],
  ])('%s requires its credentials', async (_, insert, body, fields) => {
    const id = await insert()
    const calls = other.calls()
    await expect(patch(id, body)).rejects.toMatchObject(missing(...fields))
    expect(other.calls()).toBe(calls)
  })

  test('another type of credentials needs all of its fields', async () => {
    const id = await insertStorage('AZURE_CONTAINER', 'CONNECTION_STRING', {
      connection_string: text,
    })
    const body = { credentials_type: 'ACCOUNT_NAME_TOKEN_PAIR', account_name: 'second' } as const
    await expect(patch(id, body)).rejects.toMatchObject({
      kind: 'invalid',
      body: { session_token: [expect.any(String)] },
    })
  })
})

describe('a network for administrators', () => {
  const strict = { ...settings.cloudStorages, allowedNets: [], administratorNets: ['127.0.0.0/8'] }
  const cloudStorages = { ...strict, administratorNets: readNets(strict.administratorNets) }
  const inside = overSettings({ cloudStorages }).storages
  const set = (id: number, body: Patch, call = anna.call) =>
    inside.updateCloudStorage({ id, body }, call)

  test.each(['127.0.0.1', '2130706433', '[::ffff:7f00:1]', '0x7f.1'])(
    'is closed to ordinary users: %s',
    async (host) => {
      const { name } = addBucket()
      const url = `http://${host}:${new URL(store.url).port}`
      const body = { ...bodyOf(name), specific_attributes: endpoint(url) }
      const calls = store.calls()
      const attempt = inside.createCloudStorage({ body }, anna.call)
      await expect(attempt).rejects.toMatchObject(refused('specific_attributes'))
      expect(store.calls()).toBe(calls)
    },
  )

  test('is closed to an owner of an organization', async () => {
    const { id, owner } = await addOrganization()
    const attempt = inside.createCloudStorage(
      { body: bodyOf(addBucket().name) },
      await as(owner, id),
    )
    await expect(attempt).rejects.toMatchObject(refused('specific_attributes'))
  })

  test('holds storages of administrators, which members may use and rename but not move', async () => {
    const { id: organization_id } = await addOrganization()
    const body = bodyOf(addBucket({ 'a.jpg': '' }).name)
    const { id } = await inside.createCloudStorage({ body }, await as(admin, organization_id))
    const call = await as(await addMember(organization_id, 'maintainer'), organization_id)
    const { content } = await inside.listCloudStorageContent({ id }, call)
    expect(content).toMatchObject([{ name: 'a.jpg' }])
    expect(await set(id, { display_name: 'Others' }, call)).toMatchObject({
      display_name: 'Others',
    })
    const elsewhere = endpoint(other.url)
    const pair = { key: other.key, secret_key: other.secret }
    const moved = set(id, { specific_attributes: elsewhere, ...pair }, call)
    await expect(moved).rejects.toMatchObject(refused('specific_attributes'))
  })

  test('opens an existing storage when an administrator sends its address again', async () => {
    const { id, specific_attributes } = await connect()
    const forbidden = { kind: 'forbidden' }
    await expect(inside.listCloudStorageContent({ id }, anna.call)).rejects.toMatchObject(forbidden)
    await expect(set(id, { display_name: 'x' })).rejects.toMatchObject({ kind: 'invalid' })
    await expect(set(id, { display_name: 'x' }, admin.call)).rejects.toMatchObject({
      kind: 'invalid',
    })
    await set(id, { specific_attributes }, admin.call)
    expect((await inside.listCloudStorageContent({ id }, anna.call)).content).toHaveLength(1)
  })

  test('never includes the metadata service of a cloud, even for administrators', async () => {
    const everywhere = readNets(['0.0.0.0/0', '::/0'])
    const open = { ...strict, allowedNets: everywhere, administratorNets: everywhere }
    const wide = overSettings({ cloudStorages: open }).storages
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', '2852039166', 'metadata.goog']) {
      const body = { ...bodyOf('frames'), specific_attributes: endpoint(`http://${host}`) }
      const attempt = wide.createCloudStorage({ body }, admin.call)
      await expect(attempt, host).rejects.toMatchObject({
        kind: 'invalid',
        body: { specific_attributes: [expect.stringContaining('endpoint_url: The ')] },
      })
    }
  })
})
