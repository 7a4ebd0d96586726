import { DomainError, invalid } from '@reticle/kit'
import {
  AddressUnreadable,
  azureUrlOf,
  type BucketAddress,
  isAccountName,
  readConnectionString,
  readKeyFile,
} from '@reticle/kit/bucket/address'
import { readEndpoint } from '@reticle/kit/bucket/endpoint'
import { type Net, readNets } from '@reticle/kit/outgoing/guard'
import type { CloudStorageRow } from '../../db/schema.ts'
import { type Attributes, readAttributes } from './attributes.ts'
import type { Credentials } from './credentials.ts'

/** Columns of a cloud storage that determine its address. */
export type BucketColumns = Pick<
  CloudStorageRow,
  'provider_type' | 'resource' | 'credentials_type' | 'specific_attributes'
>

export interface LocatedBucket {
  address: BucketAddress
  attributes: Attributes
}

const shapes = {
  AWS_S3_BUCKET: { pattern: /^[a-z0-9.-]+$/, text: 'lower-case letters, digits, - and .' },
  AZURE_CONTAINER: { pattern: /^[a-z0-9-]+$/, text: 'lower-case letters, digits and -' },
  GOOGLE_CLOUD_STORAGE: {
    pattern: /^[a-z0-9._-]+$/,
    text: 'lower-case letters, digits, -, . and _',
  },
}

/**
 * Returns the address of a storage from the fields of a client. Resolves no host names.
 *
 * @throws DomainError invalid, naming the field
 */
export function locateBucket(
  place: BucketColumns,
  credentials: Credentials,
  nets: readonly Net[],
): LocatedBucket {
  const { provider_type, resource: bucket, specific_attributes } = place
  const { pattern, text } = shapes[provider_type]
  if (!pattern.test(bucket)) throw invalid({ resource: `Use ${text} only.` })
  const attributes = readAttributes(specific_attributes, provider_type)
  const given = { bucket, attributes, credentials, nets }
  return { address: addressOf(place, given), attributes }
}

/** Allows every network, because the address is only parsed here and no connection is opened. */
const allNets = readNets(['0.0.0.0/0', '::/0'])

/**
 * Returns the receiver of the credentials of a storage: the provider with the endpoint of S3 or the account of Azure.
 * Undefined when the address is invalid.
 */
export function receiverOf(place: BucketColumns, credentials: Credentials): string | undefined {
  try {
    return nameReceiver(locateBucket(place, credentials, allNets).address)
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.kind === 'invalid') return undefined
    throw thrown
  }
}

function nameReceiver(address: BucketAddress): string {
  if (address.provider === 'azure') return `azure ${address.url}`
  if (address.provider === 'google') return 'google'
  const { endpoint, region = '' } = address
  // Amazon in China is operated by another company.
  return `s3 ${endpoint ?? (region.toLowerCase().startsWith('cn-') ? 'amazon cn' : 'amazon')}`
}

interface AddressParts {
  bucket: string
  attributes: Attributes
  credentials: Credentials
  nets: readonly Net[]
}

function addressOf(
  { provider_type, credentials_type }: BucketColumns,
  given: AddressParts,
): BucketAddress {
  const { bucket, credentials } = given
  if (provider_type === 'AWS_S3_BUCKET') return s3Address(given)
  if (provider_type === 'GOOGLE_CLOUD_STORAGE') {
    const { key_file } = credentials
    const keyFile =
      key_file === undefined ? undefined : rejectUnreadable('key_file', () => readKeyFile(key_file))
    return { provider: 'google', bucket, keyFile }
  }
  if (credentials_type === 'CONNECTION_STRING') return azureByString(given)
  const { account_name = '', session_token } = credentials
  if (!isAccountName(account_name))
    throw invalid({ account_name: 'An account has 3 to 24 lower-case letters and digits.' })
  const sas = session_token?.replace(/^\?/, '')
  return { provider: 'azure', bucket, url: azureUrlOf(account_name), sas }
}

function s3Address({ bucket, attributes, credentials, nets }: AddressParts): BucketAddress {
  const { endpoint_url, region } = attributes
  const endpoint =
    endpoint_url === undefined
      ? undefined
      : rejectUnreadable(
          'specific_attributes',
          () => readEndpoint(endpoint_url, { nets }),
          'endpoint_url: ',
        )
  const { key, secret_key: secret, session_token: sessionToken } = credentials
  const pair = key !== undefined && secret !== undefined ? { key, secret, sessionToken } : undefined
  return { provider: 's3', bucket, endpoint, region, credentials: pair }
}

function azureByString({ bucket, credentials, nets }: AddressParts): BucketAddress {
  return rejectUnreadable('connection_string', () => {
    const read = readConnectionString(credentials.connection_string ?? '')
    return { ...read, bucket, url: readEndpoint(read.url, { nets }, true) }
  })
}

function rejectUnreadable<T>(field: string, read: () => T, before = ''): T {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof AddressUnreadable) throw invalid({ [field]: before + thrown.message })
    throw thrown
  }
}
