import { generateKeyPairSync } from 'node:crypto'
import type { CloudProvider, CredentialsType } from '@reticle/contracts/rest/cloud-storages'
import { readNets } from '@reticle/kit/outgoing/guard'
import { describe, expect, test } from 'vitest'
import { locateBucket } from './address.ts'
import { readAttributes } from './attributes.ts'
import { type Credentials, readCredentials } from './credentials.ts'
import { mimeTypeOf } from './mime.ts'

/** Parsing of storage fields before any bucket is called. */

const invalid = (field: string, text: string) =>
  expect.objectContaining({
    kind: 'invalid',
    body: { [field]: [expect.stringContaining(text)] },
  })
const failure = (run: () => unknown) => {
  try {
    return run()
  } catch (thrown) {
    return thrown
  }
}

describe('specific attributes', () => {
  test('are URL-encoded pairs', () => {
    expect(readAttributes('', 'AWS_S3_BUCKET')).toEqual({ prefix: '' })
    const text = 'region=eu-central-1&endpoint_url=https%3A%2F%2Fs3.test%3A9000&prefix=2026%2Fa+b'
    expect(readAttributes(text, 'AWS_S3_BUCKET')).toEqual({
      region: 'eu-central-1',
      endpoint_url: 'https://s3.test:9000',
      prefix: '2026/a b',
    })
    expect(readAttributes('project_id=p&location=EU&prefix=a', 'GOOGLE_CLOUD_STORAGE').prefix).toBe(
      'a',
    )
  })

  test.each([
    ['AWS_S3_BUCKET', 'region', 'name=value'],
    ['AWS_S3_BUCKET', '=x', 'name=value'],
    ['AWS_S3_BUCKET', 'region=%E0%A4%A', 'name=value'],
    ['AWS_S3_BUCKET', 'regoin=x', 'regoin is unknown'],
    ['AZURE_CONTAINER', 'endpoint_url=https://x.test', 'endpoint_url is unknown'],
    ['AWS_S3_BUCKET', 'region=a&region=b', 'region is given twice'],
    ['AWS_S3_BUCKET', 'region=a.evil.test/', 'region has letters'],
    ['AWS_S3_BUCKET', 'prefix=%2Fa', 'prefix may not start'],
    ['AZURE_CONTAINER', 'prefix=a%2F%2Fb', 'prefix may not start'],
  ] as const)('%s rejects %s', (provider, text, sentence) => {
    expect(failure(() => readAttributes(text, provider))).toEqual(
      invalid('specific_attributes', sentence),
    )
  })
})

const kind = (provider_type: CloudProvider, credentials_type: CredentialsType) => ({
  provider_type,
  credentials_type,
})

describe('credentials', () => {
  test.each([
    ['AWS_S3_BUCKET', 'KEY_SECRET_KEY_PAIR', { key: 'a', secret_key: 'b' }],
    ['AWS_S3_BUCKET', 'KEY_SECRET_KEY_PAIR', { key: 'a', secret_key: 'b', session_token: 'c' }],
    ['AWS_S3_BUCKET', 'ANONYMOUS_ACCESS', {}],
    ['AZURE_CONTAINER', 'ACCOUNT_NAME_TOKEN_PAIR', { account_name: 'acc', session_token: 'c' }],
    ['AZURE_CONTAINER', 'CONNECTION_STRING', { connection_string: 'd' }],
    ['AZURE_CONTAINER', 'ANONYMOUS_ACCESS', { account_name: 'acc' }],
    ['GOOGLE_CLOUD_STORAGE', 'KEY_FILE_PATH', { key_file: '{}' }],
    ['GOOGLE_CLOUD_STORAGE', 'ANONYMOUS_ACCESS', {}],
  ] as const)(
    'the fields of %s with %s are required and kept',
    (provider, type, keys: Credentials) => {
      const all = { key_file: 'x', account_name: 'x', connection_string: 'x', ...keys }
      const own = Object.keys(readCredentials(kind(provider, type), all)).sort()
      expect(own).toEqual(Object.keys(keys).sort())
      expect(readCredentials(kind(provider, type), {}, keys)).toEqual(keys)
      for (const name of Object.keys(keys).filter((one) => one !== 'session_token')) {
        const attempt = failure(() =>
          readCredentials(kind(provider, type), { ...keys, [name]: '' }),
        )
        expect(attempt).toEqual(invalid(name, 'This field is required.'))
      }
    },
  )

  test.each([
    ['AWS_S3_BUCKET', 'KEY_FILE_PATH'],
    ['AWS_S3_BUCKET', 'ACCOUNT_NAME_TOKEN_PAIR'],
    ['AWS_S3_BUCKET', 'CONNECTION_STRING'],
    ['AZURE_CONTAINER', 'KEY_SECRET_KEY_PAIR'],
    ['AZURE_CONTAINER', 'KEY_FILE_PATH'],
    ['GOOGLE_CLOUD_STORAGE', 'KEY_SECRET_KEY_PAIR'],
    ['GOOGLE_CLOUD_STORAGE', 'CONNECTION_STRING'],
  ] as const)('%s does not support %s', (provider, type) => {
    const attempt = failure(() => readCredentials(kind(provider, type), {}))
    expect(attempt).toEqual(invalid('credentials_type', `${type} is not for ${provider}: use`))
  })

  test('the session token is limited to 440 characters for Azure but not for S3', () => {
    const session_token = 'x'.repeat(441)
    const azure = kind('AZURE_CONTAINER', 'ACCOUNT_NAME_TOKEN_PAIR')
    expect(failure(() => readCredentials(azure, { account_name: 'acc', session_token }))).toEqual(
      invalid('session_token', 'no more than 440'),
    )
    const s3 = kind('AWS_S3_BUCKET', 'KEY_SECRET_KEY_PAIR')
    readCredentials(s3, { key: 'a', secret_key: 'b', session_token })
  })
})

const place = (given: {
  provider_type: CloudProvider
  credentials_type?: CredentialsType
  resource?: string
  specific_attributes?: string
}) => ({
  resource: 'frames',
  credentials_type: 'ANONYMOUS_ACCESS' as const,
  specific_attributes: '',
  ...given,
})

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const keyFile = (given: object) =>
  JSON.stringify({ type: 'service_account', client_email: 'a@b.test', private_key, ...given })

describe('addresses', () => {
  test.each([
    ['AWS_S3_BUCKET', 'a.b-1', 'a_b'],
    ['AZURE_CONTAINER', 'a-1', 'a.b'],
    ['GOOGLE_CLOUD_STORAGE', 'a.b_c-1', 'A'],
  ] as const)(
    'the resource of %s follows the naming rules of the provider',
    (provider_type, good, bad) => {
      const account = { account_name: 'acc' }
      locateBucket(place({ provider_type, resource: good }), account, [])
      for (const resource of [bad, 'a/b', 'a b', 'ä'])
        expect(
          failure(() => locateBucket(place({ provider_type, resource }), account, [])),
        ).toEqual(invalid('resource', 'Use lower-case letters, digits'))
    },
  )

  test('an endpoint in a private network needs a setting that allows it', () => {
    const at = (endpoint: string) =>
      place({
        provider_type: 'AWS_S3_BUCKET',
        specific_attributes: `endpoint_url=${encodeURIComponent(endpoint)}`,
      })
    const inside = ['http://127.0.0.1:9000', 'http://10.1.2.3', 'https://[::1]:9000']
    for (const endpoint of [...inside, 'http://minio.storage.svc:9000', 'http://2130706433'])
      expect(
        failure(() => locateBucket(at(endpoint), {}, [])),
        endpoint,
      ).toEqual(invalid('specific_attributes', 'endpoint_url: The '))
    const nets = readNets(['127.0.0.0/8', '10.0.0.0/8', '::1/128'])
    for (const endpoint of [...inside, 'http://minio.storage.svc:9000'])
      expect(locateBucket(at(endpoint), {}, nets).address).toMatchObject({ endpoint })
    for (const endpoint of ['ftp://x.test', 'https://x.test/path', 'https://u:p@x.test', 's3'])
      expect(
        failure(() => locateBucket(at(endpoint), {}, nets)),
        endpoint,
      ).toEqual(invalid('specific_attributes', 'endpoint_url: '))
  })

  test('an account name of Azure cannot contain parts of a URL', () => {
    const azure = place({ provider_type: 'AZURE_CONTAINER' })
    const account_name = 'devstore1'
    const { address } = locateBucket(azure, { account_name, session_token: '?sv=1&sig=x' }, [])
    expect(address).toMatchObject({
      url: 'https://devstore1.blob.core.windows.net',
      sas: 'sv=1&sig=x',
    })
    for (const account_name of ['evil.test/', 'ab', 'A', 'a#b'])
      expect(failure(() => locateBucket(azure, { account_name }, []))).toEqual(
        invalid('account_name', '3 to 24'),
      )
  })

  test('the endpoint in a connection string is checked like other addresses', () => {
    const provider_type = 'AZURE_CONTAINER' as const
    const azure = place({ provider_type, credentials_type: 'CONNECTION_STRING' })
    const at = (connection_string: string) => locateBucket(azure, { connection_string }, [])
    const key = 'AccountName=acc;AccountKey=a2V5'
    expect(
      at(`DefaultEndpointsProtocol=https;${key};EndpointSuffix=core.windows.net`).address,
    ).toEqual({
      provider: 'azure',
      bucket: 'frames',
      url: 'https://acc.blob.core.windows.net',
      sharedKey: { account: 'acc', key: 'a2V5' },
    })
    const signed = 'BlobEndpoint=https://acc.blob.core.windows.net/;SharedAccessSignature=?sv=1'
    expect(at(signed).address).toMatchObject({ sas: 'sv=1' })
    for (const bad of [
      'nonsense',
      'AccountName=acc',
      `${key};BlobEndpoint=http://127.0.0.1:10000/acc`,
      `${key};BlobEndpoint=http://169.254.169.254`,
      'AccountName=evil.test/;AccountKey=a2V5',
    ])
      expect(
        failure(() => at(bad)),
        bad,
      ).toEqual(invalid('connection_string', ''))
  })

  test('a key file must belong to a service account and use a Google token endpoint', () => {
    const provider_type = 'GOOGLE_CLOUD_STORAGE' as const
    const google = place({ provider_type, credentials_type: 'KEY_FILE_PATH' })
    const at = (key_file: string) => locateBucket(google, { key_file }, [])
    const token_uri = 'https://oauth2.googleapis.com/token'
    expect(at(keyFile({ token_uri })).address).toEqual({
      provider: 'google',
      bucket: 'frames',
      keyFile: { client_email: 'a@b.test', private_key },
    })
    for (const bad of [
      'nonsense',
      '{}',
      keyFile({ type: 'external_account' }),
      keyFile({ private_key: 'x' }),
      keyFile({ token_uri: 'https://evil.test/token' }),
      keyFile({ universe_domain: 'evil.test' }),
    ])
      expect(
        failure(() => at(bad)),
        bad.slice(0, 60),
      ).toEqual(invalid('key_file', 'The file'))
  })
})

test.each([
  ['a.JPG', 'image'],
  ['a.tar.gz', 'archive'],
  ['a.mp4', 'video'],
  ['a.pdf', 'pdf'],
  ['a.svg', 'unknown'],
  ['jpg', 'unknown'],
])('%s has the type %s', (name, type) => {
  expect(mimeTypeOf(name)).toBe(type)
})
