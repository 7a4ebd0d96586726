import type { storages } from '@reticle/contracts/api/storages'
import type { Facts } from '@reticle/contracts/rest/facts'
import {
  type CallContext,
  DomainError,
  forbidden,
  invalid,
  notFound,
  type Service,
  signedIn,
} from '@reticle/kit'

/** Calls about cloud storages before a request is posted. */
export type StorageCalls = Pick<Service<typeof storages>, 'getCloudStorage' | 'findDefaultStorages'>

/** Location that a caller states for a file. */
export interface StorageLocation {
  location?: string | undefined
  cloud_storage_id?: number | undefined
}

export interface StorageUse {
  use: 'source' | 'target'
  /** Object whose storages are the default; absent: the default is here. */
  object?: Pick<Facts, 'target'> & { id: number }
}

/** Cloud storage that the caller may use. */
export interface UsableStorage {
  cloud_storage_id: number
  /** Prefix of its keys. */
  prefix: string
}

/**
 * Resolves the cloud storage that a caller names, or the default of an object; undefined: none, the file is here.
 *
 * @throws DomainError invalid, not_found, or forbidden without view permission and for a read-only access token
 */
export async function resolveStorage(
  requested: StorageLocation,
  { use, object }: StorageUse,
  storages: StorageCalls,
  context: CallContext,
): Promise<UsableStorage | undefined> {
  const { location } = requested
  if (location !== undefined) {
    const cloud_storage_id = named(requested)
    return cloud_storage_id === undefined
      ? undefined
      : findUsableStorage({ cloud_storage_id }, storages, context)
  }
  if (!object) return undefined
  const set = (await storages.findDefaultStorages(object, context))[`${use}_storage`]
  if (set?.location !== 'cloud_storage' || set.cloud_storage_id === null) return undefined
  const { cloud_storage_id } = set
  const which = `the ${use} storage of ${object.target} ${object.id}`
  return findUsableStorage({ cloud_storage_id, which }, storages, context)
}

function named({ location = 'local', cloud_storage_id }: StorageLocation): number | undefined {
  if (location === 'local') return undefined
  if (location !== 'cloud_storage')
    throw invalid({ location: `"${location.slice(0, 100)}" is not a valid choice.` })
  if (cloud_storage_id === undefined)
    throw invalid({ cloud_storage_id: 'cloud_storage_id was not provided' })
  return cloud_storage_id
}

async function findUsableStorage(
  { cloud_storage_id: id, which }: { cloud_storage_id: number; which?: string },
  storages: StorageCalls,
  context: CallContext,
): Promise<UsableStorage> {
  if (signedIn(context).token?.read_only) throw forbidden('This access token may only read.')
  try {
    const { specific_attributes } = await storages.getCloudStorage({ id }, context)
    const prefix = new URLSearchParams(specific_attributes).get('prefix') ?? ''
    return { cloud_storage_id: id, prefix }
  } catch (thrown) {
    throw refusal(thrown, `cloud storage ${id}${which === undefined ? '' : `, ${which}`}`)
  }
}

/** Rewrites an error to name the storage in the terms of the caller. */
function refusal(thrown: unknown, storage: string): unknown {
  if (!(thrown instanceof DomainError)) return thrown
  if (thrown.kind === 'not_found') return notFound(`There is no ${storage}.`)
  if (thrown.kind !== 'forbidden') return thrown
  return forbidden(`You may not use ${storage}: name another location.`)
}

/**
 * Checks a key.
 *
 * @throws DomainError invalid for a key that names no file, or is hidden by the storage
 */
export function assertKey(key: string, { prefix }: UsableStorage): void {
  const refuse = (text: string) => {
    throw invalid({ filename: text })
  }
  if (/(^|\/)\.\.?(\/|$)/.test(key)) refuse('A key has no segments "." and "..".')
  if (key.endsWith('/')) refuse('A key that ends with "/" names no file.')
  if (!key.startsWith(prefix)) refuse(`The keys of this cloud storage begin with "${prefix}".`)
}
