import type {
  CloudProvider,
  CloudStoragePatch,
  CredentialsType,
} from '@reticle/contracts/rest/cloud-storages'
import { invalid } from '@reticle/kit/call/errors'

/** Credential fields of all credentials types. */

const names = [
  'key',
  'secret_key',
  'session_token',
  'account_name',
  'key_file',
  'connection_string',
] as const
type Name = (typeof names)[number]

/** Decrypted credentials; an empty object for anonymous access. */
export type Credentials = Partial<Record<Name, string>>

export interface Kind {
  provider_type: CloudProvider
  credentials_type: CredentialsType
}

interface Keys {
  needed: readonly Name[]
  possible?: readonly Name[]
}

/** Credentials types of each provider and their fields. */
const keysOf: Record<CloudProvider, Partial<Record<CredentialsType, Keys>>> = {
  AWS_S3_BUCKET: {
    KEY_SECRET_KEY_PAIR: { needed: ['key', 'secret_key'], possible: ['session_token'] },
    ANONYMOUS_ACCESS: { needed: [] },
  },
  AZURE_CONTAINER: {
    ACCOUNT_NAME_TOKEN_PAIR: { needed: ['account_name', 'session_token'] },
    CONNECTION_STRING: { needed: ['connection_string'] },
    ANONYMOUS_ACCESS: { needed: ['account_name'] },
  },
  GOOGLE_CLOUD_STORAGE: {
    KEY_FILE_PATH: { needed: ['key_file'] },
    ANONYMOUS_ACCESS: { needed: [] },
  },
}

const longestSignature = 440

/**
 * Returns the credentials of a body, completed by the `kept` ones. Fields of other credentials types are ignored.
 *
 * @param missingText error text of a missing field
 * @throws DomainError invalid naming the field
 */
export function readCredentials(
  { provider_type, credentials_type }: Kind,
  body: CloudStoragePatch,
  kept: Credentials = {},
  missingText = 'This field is required.',
): Credentials {
  const keys = keysOf[provider_type][credentials_type]
  if (!keys) throw notOfProvider(provider_type, credentials_type)
  const { needed, possible = [] } = keys
  const credentials: Credentials = {}
  const former = fittingToken(provider_type, body, kept)
  for (const name of [...needed, ...possible]) {
    const value = body[name] ?? former[name]
    if (value) credentials[name] = value
  }
  const missing = needed.filter((name) => !credentials[name])
  if (missing.length > 0)
    throw invalid(Object.fromEntries(missing.map((name) => [name, missingText])), 'required')
  const isSignature = credentials_type === 'ACCOUNT_NAME_TOKEN_PAIR'
  if (isSignature && (credentials.session_token ?? '').length > longestSignature)
    throw invalid({
      session_token: `Ensure this field has no more than ${longestSignature} characters.`,
    })
  return credentials
}

/** A session token of S3 belongs to its key, so a new key or secret drops the stored token. */
function fittingToken(
  provider: CloudProvider,
  { key, secret_key }: CloudStoragePatch,
  kept: Credentials,
): Credentials {
  const isSameKey = (key ?? kept.key) === kept.key
  const isSameSecret = (secret_key ?? kept.secret_key) === kept.secret_key
  if (provider !== 'AWS_S3_BUCKET' || (isSameKey && isSameSecret)) return kept
  const { session_token: _, ...pair } = kept
  return pair
}

function notOfProvider(provider: CloudProvider, type: CredentialsType) {
  const types = Object.keys(keysOf[provider]).join(', ')
  return invalid({ credentials_type: `${type} is not for ${provider}: use ${types}.` })
}

export function isSame(one: Credentials, other: Credentials): boolean {
  return names.every((name) => one[name] === other[name])
}
